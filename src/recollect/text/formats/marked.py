"""Evaluation sets with marked documents and segments, whatever parser meets the tags."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recollect.errors import DataError
from recollect.text.document import Document

__all__ = ["Segments", "Version"]

_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")


@dataclass(slots=True)
class Version:
    """One system's or translator's text of the whole set."""

    system: str
    documents: list[Document] = field(default_factory=list)


class Segments:
    """Gathers documents from tags as they come; text outside segments is metadata and ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._versions: dict[str, Version] = {}
        self._set_system = ""
        self._system = ""
        self._name: str | None = None  # of the open document
        self._sentences: list[str] = []
        self._text: list[str] | None = None  # of the open segment

    def start(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """An opening tag, in lower case like its attributes."""
        if tag in ("srcset", "refset", "tstset"):
            self._set_system = attributes.get("sysid") or attributes.get("refid") or ""
        elif tag == "doc":
            self._close_document()
            self._system = attributes.get("sysid") or self._set_system
            count = len(self._versions[self._system].documents) if self._system in self._versions else 0
            self._name = attributes.get("docid") or str(count + 1)
        elif tag == "seg":
            if self._name is None:
                raise DataError(f"{self._path}: a <seg> stands outside any <doc>")
            self._close_segment()
            self._text = []

    def end(self, tag: str) -> None:
        """A closing tag, in lower case."""
        if tag == "seg":
            self._close_segment()
        elif tag == "doc":
            self._close_document()

    def text(self, data: str) -> None:
        """Characters between tags, entities already resolved."""
        if self._text is not None:
            self._text.append(data)

    def finish(self) -> list[Version]:
        """Versions in order of appearance, each with the same documents in the same order."""
        if self._name is not None:
            raise DataError(f"{self._path}: ends inside document {self._name}; the file is truncated")
        versions = list(self._versions.values())
        if not versions:
            raise DataError(f"{self._path}: holds no <doc> with <seg> elements")
        return [versions[0], *(self._in_order_of(versions[0], version) for version in versions[1:])]

    def _in_order_of(self, first: Version, version: Version) -> Version:
        by_name = {document.name: document for document in version.documents}
        names = [document.name for document in first.documents]
        if sorted(names) != sorted(document.name for document in version.documents):
            raise DataError(
                f"{self._path}: '{first.system}' has documents {', '.join(names)}, "
                f"but '{version.system}' has {', '.join(document.name for document in version.documents)}"
            )
        return Version(version.system, [by_name[name] for name in names])

    def _close_segment(self) -> None:
        if self._text is not None:
            self._sentences.append(_LINE_BREAK.sub(" ", "".join(self._text)).strip())
            self._text = None

    def _close_document(self) -> None:
        self._close_segment()
        if self._name is not None:
            version = self._versions.setdefault(self._system, Version(self._system))
            if any(document.name == self._name for document in version.documents):
                raise DataError(f"{self._path}: document {self._name} of '{self._system}' appears twice")
            version.documents.append(Document(self._name, tuple(self._sentences)))
        self._name = None
        self._sentences = []
