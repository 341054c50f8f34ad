"""Everything there is to say about the consistency of a translation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.evaluation.consistency import Term, repeated_sentences, repeated_terms
from recollect.evaluation.mechanics import Finding, mechanical_findings
from recollect.text.code import is_code
from recollect.text.placeholders import hold_placeholders
from recollect.text.placing import Link
from recollect.text.translated import Translated

__all__ = ["Check", "FailOn", "Linker", "check"]

FailOn = Literal["error", "inconsistency", "warning", "never"]
Linker = Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[Link]]]
"""Says for texts and their translations which stretches belong together."""


@dataclass(frozen=True, slots=True)
class Check:
    """What has been found in a translation; texts are without their marks, as terms are placed in them."""

    wheres: tuple[str, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    terms: tuple[Term, ...]
    findings: tuple[Finding, ...]

    @property
    def inconsistent(self) -> list[Term]:
        """Terms with more than one rendering."""
        return [term for term in self.terms if not term.consistent]

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many warnings there are."""
        return len(self.findings) - self.errors

    def fails(self, level: FailOn) -> bool:
        """Whether there is something of that level or a graver one: error, inconsistency, warning."""
        if level == "never":
            return False
        bad = self.errors > 0
        if level in ("inconsistency", "warning"):
            bad |= bool(self.inconsistent)
        return bad or (level == "warning" and self.warnings > 0)


def check(units: Sequence[Translated], linker: Linker) -> Check:
    """Check texts and their translations; `linker` says which words belong together."""
    sources = tuple(hold_placeholders(unit.source).text for unit in units)
    targets = tuple(hold_placeholders(unit.target).text for unit in units)
    # Programs, and what has not been translated, teach nothing about terms.
    prose = [
        one != other and not is_code(one) and bool(other.strip())
        for one, other in zip(sources, targets, strict=True)
    ]
    ours = [text if kept else "" for text, kept in zip(sources, prose, strict=True)]
    theirs = [text if kept else "" for text, kept in zip(targets, prose, strict=True)]
    written = [str(unit.source) if kept else "" for unit, kept in zip(units, prose, strict=True)]
    terms = repeated_terms(ours, theirs, linker(ours, theirs))
    terms += repeated_sentences(written, ours, theirs)
    terms.sort(key=lambda term: term.consistent)
    findings = sorted(mechanical_findings(units), key=lambda each: (each.severity != "error", each.unit))
    return Check(tuple(unit.where for unit in units), sources, targets, tuple(terms), tuple(findings))
