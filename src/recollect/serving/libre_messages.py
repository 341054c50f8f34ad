"""What LibreTranslate clients send, as JSON, as a form or in the address, and what they are answered."""

import json
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import parse_qs

from fastapi import Request
from pydantic import BaseModel, BeforeValidator, Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from recollect.serving.refusals import WrongError

__all__ = [
    "DetectFields",
    "DetectedLanguage",
    "Fields",
    "FileAnswer",
    "FileFields",
    "LanguageAnswer",
    "SettingsAnswer",
    "SuggestAnswer",
    "SuggestFields",
    "TranslateAnswer",
    "TranslateFields",
    "body_of",
    "read_fields",
]

MOST_ALTERNATIVES = 20
MOST_TEXTS = 1000


class Pair(BaseModel):
    """A term and how it is to be said."""

    source: str = Field(min_length=1, max_length=500)
    target: str = Field(min_length=1, max_length=500)


def _from_form(value: Any) -> Any:
    """Return a list that came as JSON in a form."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError('in a form this is JSON, like [{"source": "李娜", "target": "Li Na"}]') from None
    return value


Glossary = Annotated[list[Pair], BeforeValidator(_from_form), Field(max_length=500)]
Given = Annotated[str, Field(min_length=1)]


class Fields(BaseModel):
    """What every request may say."""

    api_key: str = Field("", description="The key, if this server asks for one.")


class DetectFields(Fields):
    """A text whose language is asked for."""

    q: Given | Annotated[list[str], Field(min_length=1, max_length=MOST_TEXTS)]


class _Languages(Fields):
    source: Given = Field(description="The code of the text's language, or auto.")
    target: Given = Field(description="The code of the language to translate into.")


class TranslateFields(_Languages):
    """Text to translate."""

    q: Given | Annotated[list[str], Field(min_length=1, max_length=MOST_TEXTS)] = Field(
        description="A text, or several that belong together."
    )
    format: Literal["text", "html"] = Field("text", description="What the texts are.")
    alternatives: int = Field(
        0, ge=0, le=MOST_ALTERNATIVES, description="How many other translations are wanted."
    )
    session: str | None = Field(
        None, max_length=100, description="A session to which the texts are added; else one is kept for you."
    )
    memory: bool = Field(True, description="False: each sentence is translated alone, and nothing is kept.")
    glossary: Glossary = Field([], description="Terms to remember from the start.")


class SuggestFields(_Languages):
    """A better translation."""

    q: Given = Field(description="What was translated.")
    s: Given = Field(description="How it should have been translated.")
    session: str | None = Field(None, max_length=100, description="The session in which it was translated.")


class FileFields(_Languages):
    """A file to translate; it comes beside these fields."""


class DetectedLanguage(BaseModel):
    """A language that a text may be in."""

    confidence: float = Field(description="In per cent.")
    language: str


class TranslateAnswer(BaseModel):
    """Translations: one, or as many as there were texts."""

    translatedText: str | list[str]  # noqa: N815  # LibreTranslate's names
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None


class LanguageAnswer(BaseModel):
    """A language and what it can be translated into."""

    code: str
    name: str
    targets: list[str]


class FileAnswer(BaseModel):
    """Where a translated file can be fetched."""

    translatedFileUrl: str  # noqa: N815


class SuggestAnswer(BaseModel):
    """That a suggestion has been remembered."""

    success: bool


class _LanguageName(BaseModel):
    code: str
    name: str


class SettingsAnswer(BaseModel):
    """What a page that uses this server has to know."""

    apiKeys: bool  # noqa: N815
    charLimit: int = Field(description="-1: no bound but that of a request's bytes.")  # noqa: N815
    filesTranslation: bool  # noqa: N815
    frontendTimeout: int = Field(description="Milliseconds to wait while somebody types.")  # noqa: N815
    keyRequired: bool  # noqa: N815
    language: dict[Literal["source", "target"], _LanguageName]
    suggestions: bool
    supportedFilesFormat: list[str]  # noqa: N815


Some = TypeVar("Some", bound=Fields)


def body_of(fields: type[Fields], *, file: bool = False) -> dict[str, Any]:
    """Return the OpenAPI description of a request with these fields."""
    schema = fields.model_json_schema(ref_template="#/components/schemas/{model}")
    inner = schema.pop("$defs", {})
    text = json.dumps(schema)
    for name, definition in inner.items():
        text = text.replace(json.dumps({"$ref": f"#/components/schemas/{name}"}), json.dumps(definition))
    schema = json.loads(text)
    if not file:
        form = json.loads(text)
        if "q" in form["properties"]:
            form["properties"]["q"] = {"type": "string", "minLength": 1, "title": "Q"}
        if "glossary" in form["properties"]:
            form["properties"]["glossary"] = {"type": "string", "description": "The list as JSON."}
        kinds = {"application/json": schema, "application/x-www-form-urlencoded": form}
    else:
        schema["properties"]["file"] = {"type": "string", "format": "binary", "description": "The file."}
        schema["required"] = [*schema["required"], "file"]
        kinds = {"multipart/form-data": schema}
    return {
        "requestBody": {"required": True, "content": {kind: {"schema": each} for kind, each in kinds.items()}}
    }


async def read_fields(request: Request, kind: type[Some]) -> tuple[Some, UploadFile | None]:
    """Return what a request says, and the file that came with it."""
    given: dict[str, Any] = dict(request.query_params)
    file = None
    body = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body.endswith("json"):
        given |= await _json_fields(request)
    elif body != "multipart/form-data":
        given |= await _form_fields(request)
    else:
        try:
            form = await request.form(max_files=1, max_fields=MOST_TEXTS)
        except (MultiPartException, UnicodeError, ValueError) as error:
            raise WrongError(f"Invalid request: the form cannot be read ({error})") from None
        for name in form:
            values = form.getlist(name)
            if isinstance(values[0], UploadFile):
                file = values[0]
            else:
                given[name] = values[0] if len(values) == 1 else values
    needed = [name for name in ("q", "s", "source", "target") if name in kind.model_fields]
    missing = [name for name in needed if given.get(name) in (None, "") or str(given[name]).isspace()]
    if missing:
        raise WrongError(f"Invalid request: missing {missing[0]} parameter")
    known = {name: value for name, value in given.items() if value is not None}
    try:
        return kind.model_validate(known), file
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].removeprefix("Value error, ")
        raise WrongError(f"Invalid request: {first['loc'][0]}: {said}") from None


async def _form_fields(request: Request) -> dict[str, Any]:
    # Text may be in UTF-8 as it is (curl -d), not only percent-encoded.
    try:
        fields = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=MOST_TEXTS)
    except ValueError as error:
        raise WrongError(f"Invalid request: the form cannot be read ({error})") from None
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


async def _json_fields(request: Request) -> dict[str, Any]:
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise WrongError(f"Invalid request: this is no JSON ({error})") from None
    if not isinstance(found, dict):
        raise WrongError('Invalid request: an object is needed, like {"q": "你好", ...}')
    return found
