"""Languages by their codes, and which of them a text is in."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["NAMES", "Detected", "detect", "language_name", "primary"]

# Those that translation services offer. A detector that knows more takes short texts for rare languages.
NAMES = {
    "ar": "Arabic", "az": "Azerbaijani", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
    "gl": "Galician", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "ky": "Kyrgyz", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "th": "Thai",
    "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_LIKELY = 5.0  # per cent; what is less likely than this is not mentioned
_ENOUGH = 10_000  # characters; more of a text tell no more


@dataclass(frozen=True, slots=True)
class Detected:
    """A language that a text may be in, and how sure that is, in per cent."""

    language: str
    confidence: float


def primary(code: str) -> str:
    """Return a language without its script or country, as models name them.

    >>> primary("zh-Hans"), primary("EN_gb")
    ('zh', 'en')
    """
    return code.lower().replace("_", "-").split("-")[0]


def language_name(code: str) -> str:
    """Return a language's name in English, or its code where that is all that is known."""
    return NAMES.get(primary(code), code)


def detect(texts: Sequence[str]) -> list[Detected]:
    """Return the languages that texts of one kind are likely in, the likeliest first; none without words.

    >>> detect(["我们在哪里见面？"])[0].language
    'zh'
    """
    text = "\n".join(texts)[:_ENOUGH]
    if not any(char.isalpha() for char in text):
        return []
    ranked = [
        Detected(code, round(100 * float(share), 1))
        for code, share in _identifier().rank(text.encode("utf-8", "replace"))
    ]
    return [each for each in ranked if each.confidence >= _LIKELY]


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(NAMES))
    return identifier
