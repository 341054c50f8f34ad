"""The API of LibreTranslate, whose clients work here unchanged; and their suggestions are remembered."""

import asyncio
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Request, Response

from recollect.decoding.translator import Translator
from recollect.serving.access import Client
from recollect.serving.asking import A_FILE, REFUSALS, TheDesk
from recollect.serving.desk import Desk
from recollect.serving.files import disposition, media_type, output_name, safe_name
from recollect.serving.languages import Detected, detect, language_name, primary
from recollect.serving.libre_messages import (
    DetectedLanguage,
    DetectFields,
    Fields,
    FileAnswer,
    FileFields,
    LanguageAnswer,
    SettingsAnswer,
    SuggestAnswer,
    SuggestFields,
    TranslateAnswer,
    TranslateFields,
    body_of,
    read_fields,
)
from recollect.serving.passing import PassingText, suggested_pairs
from recollect.serving.record import Record, Sentence
from recollect.serving.refusals import DeniedError, RefusalError, WrongError
from recollect.serving.routes_files import render_file, take_file
from recollect.serving.visits import Visits
from recollect.text.formats.registry import SUFFIXES
from recollect.text.glossary import Term

__all__ = ["router"]

SURE = 50.0  # per cent; a language that is less likely does not overrule what the model is made for
UNKNOWN = "und"  # the code of a language that is not known
SESSION = "X-Recollect-Session"

Word = Annotated[str, Path(max_length=100, description="A word that nobody can guess.")]
FileName = Annotated[str, Path(max_length=500, description="What the file is called.")]

router = APIRouter(tags=["LibreTranslate"], responses=REFUSALS)


class ForbiddenError(RefusalError):
    """LibreTranslate's answer to a key that is missing or wrong."""

    status = 403


def visits_of(request: Request) -> Visits:
    """Return the visits of the app that is asked."""
    visits: Visits = request.app.state.visits
    return visits


TheVisits = Annotated[Visits, Depends(visits_of)]


@router.get("/languages")
async def languages(desk: TheDesk) -> list[LanguageAnswer]:
    """Return what can be translated into what."""
    source, target = _pair(desk.engine.translator.languages)
    return [
        LanguageAnswer(code=source, name=language_name(source), targets=[target]),
        LanguageAnswer(code=target, name=language_name(target), targets=[]),
    ]


@router.post("/detect", openapi_extra=body_of(DetectFields))
async def detect_language(request: Request, desk: TheDesk) -> list[DetectedLanguage]:
    """Return the languages that a text may be in, the likeliest first."""
    fields, _ = await read_fields(request, DetectFields)
    await admit(request, fields)
    found = await asyncio.to_thread(detect, [fields.q] if isinstance(fields.q, str) else fields.q)
    likely = found or [Detected(_pair(desk.engine.translator.languages)[0], 0.0)]
    return [DetectedLanguage(confidence=each.confidence, language=each.language) for each in likely]


@router.post("/translate", response_model_exclude_none=True, openapi_extra=body_of(TranslateFields))
async def translate(
    request: Request, response: Response, desk: TheDesk, visits: TheVisits
) -> TranslateAnswer:
    """Translate a text, or several; those of one client that come within a while remember one another."""
    fields, _ = await read_fields(request, TranslateFields)
    client = await admit(request, fields)
    texts = [fields.q] if isinstance(fields.q, str) else fields.q
    detected = await heard_as(desk.engine.translator.languages, fields.source, fields.target, texts)
    if _is_already(detected, desk.engine.translator.languages):
        return _answer(fields, texts, [[] for _ in texts], detected)
    terms = [Term(each.source, each.target) for each in fields.glossary]
    taken = await asyncio.to_thread(_taken_apart, desk.engine.translator, fields, texts, terms)
    sentences = [sentence for text in taken for sentence in text.sentences]
    desk.check_texts(sentences)
    if fields.memory:  # without one, terms are put in by other means
        desk.check_terms(terms)
    if fields.memory and fields.session:
        there = await desk.look(client.owner, fields.session)
        desk.check_count(len(there.sentences) + len(sentences))
    await request.app.state.access.charge(request, sum(map(len, texts)))
    if not fields.memory:
        said = await visits.translate_alone(sentences, fields.alternatives)
    elif fields.session:
        await _prepare(desk, client, fields.session, terms)
        said = await visits.translate(client.owner, fields.session, sentences, fields.alternatives)
        response.headers[SESSION] = fields.session
    else:
        async with visits.session(client, terms, len(sentences)) as session:
            said = await visits.translate(client.owner, session, sentences, fields.alternatives)
        if visits.remembered:
            response.headers[SESSION] = session
    rest = iter(said)
    whole = [text.versions([next(rest) for _ in text.sentences], fields.alternatives) for text in taken]
    return _answer(fields, [each[0] for each in whole], [each[1:] for each in whole], detected)


@router.post("/suggest", openapi_extra=body_of(SuggestFields))
async def suggest(request: Request, response: Response, desk: TheDesk, visits: TheVisits) -> SuggestAnswer:
    """Correct a translation: it is remembered at once, and what comes later follows it."""
    fields, _ = await read_fields(request, SuggestFields)
    client = await admit(request, fields)
    await heard_as(desk.engine.translator.languages, fields.source, fields.target, [fields.q])
    desk.check_length(fields.q)
    desk.check_length(fields.s)
    if not fields.session and not visits.remembered:
        raise ForbiddenError("suggestions are remembered only in a session: say in which one it was")
    pairs = await asyncio.to_thread(suggested_pairs, desk.engine.translator, fields.q, fields.s)
    if fields.session:
        await _correct(desk, client, fields.session, pairs)
        response.headers[SESSION] = fields.session
    else:
        async with visits.session(client, room=len(pairs)) as session:
            await _correct(desk, client, session, pairs)
        response.headers[SESSION] = session
    return SuggestAnswer(success=True)


@router.post("/translate_file", openapi_extra=body_of(FileFields, file=True))
async def translate_file(
    request: Request, response: Response, desk: TheDesk, visits: TheVisits
) -> FileAnswer:
    """Translate a file of any format that is known; it is a session of its own."""
    fields, file = await read_fields(request, FileFields)
    client = await admit(request, fields)
    if file is None:
        raise WrongError("Invalid request: missing file parameter")
    languages = desk.engine.translator.languages

    async def check(sentences: Sequence[Sentence]) -> None:
        texts = [each.source for each in sentences]
        found = await heard_as(languages, fields.source, fields.target, texts)
        if _is_already(found, languages):
            raise WrongError(f"this is {language_name(found.language)} already")
        desk.check_sentences(sentences)
        await request.app.state.access.charge(request, sum(map(len, texts)))

    data, name = await file.read(), safe_name(file.filename or "document")
    desk.check_file(data)
    record = await take_file(desk, client.owner, data, name, check)
    await visits.finished(client.owner, record.id)
    word = await visits.offer(client.owner, record.id)
    response.headers[SESSION] = record.id
    address = request.url_for("download_file", word=word, name=quote(output_name(record), safe=""))
    return FileAnswer(translatedFileUrl=str(address))


@router.get(
    "/download_file/{word}/{name}",
    response_class=Response,
    responses=A_FILE,
)
async def download_file(word: Word, name: FileName, desk: TheDesk, visits: TheVisits) -> Response:
    """Return a translated file to whoever has its address; the name is for people."""
    owner, session = await visits.offered(word)
    record = await visits.finished(owner, session)
    name = output_name(record)
    return Response(
        await render_file(desk, record),
        media_type=media_type(name),
        headers={"Content-Disposition": disposition(name)},
    )


@router.get("/frontend/settings")
async def settings(request: Request, desk: TheDesk, visits: TheVisits) -> SettingsAnswer:
    """Return what a page that uses this server has to know."""
    asks = request.app.state.access.asks_for_keys
    pair = _pair(desk.engine.translator.languages)
    source, target = ({"code": code, "name": language_name(code)} for code in pair)
    return SettingsAnswer.model_validate(
        {
            "apiKeys": asks,
            "charLimit": -1,
            "filesTranslation": True,
            "frontendTimeout": 500,
            "keyRequired": asks,
            "language": {"source": source, "target": target},
            "suggestions": visits.remembered,
            "supportedFilesFormat": [each for each, kind in SUFFIXES.items() if kind != "table"],
        }
    )


async def admit(request: Request, fields: Fields) -> Client:
    """Let a client in by the key in its request, or by that in its header."""
    try:
        client: Client = await request.app.state.access.admit(request, fields.api_key)
    except DeniedError as error:
        raise ForbiddenError(str(error)) from None
    return client


async def heard_as(languages: tuple[str, str], source: str, target: str, texts: Sequence[str]) -> Detected:
    """Return the language of texts: what is said of them, or else what they look like.

    Short texts look like many languages; where it is not clear, they are what the model is made for.
    """
    pair = _pair(languages)
    if pair[1] not in (primary(target), UNKNOWN):
        raise WrongError(f"{target} is not supported: {_offer(pair)}")
    if source != "auto" or pair[0] == UNKNOWN:
        if primary(source) not in pair and pair[0] != UNKNOWN:
            raise WrongError(f"{source} is not supported: {_offer(pair)}")
        return Detected(primary(source), 100.0)
    found = await asyncio.to_thread(detect, texts)
    if found and found[0].confidence >= SURE and found[0].language not in pair:
        known = language_name(found[0].language)
        raise WrongError(f"this is {known} ({found[0].language}), which is not supported: {_offer(pair)}")
    if found and found[0].confidence >= SURE:
        return found[0]
    return next((each for each in found if each.language == pair[0]), Detected(pair[0], 0.0))


def _is_already(found: Detected, languages: tuple[str, str]) -> bool:
    """Whether a text is what it is to become, which takes a model of two languages."""
    source, target = _pair(languages)
    return source != target == found.language


def _pair(languages: tuple[str, str]) -> tuple[str, str]:
    """Return the codes of a model's languages, where it knows them."""
    return languages[0] or UNKNOWN, languages[1] or UNKNOWN


def _offer(pair: tuple[str, str]) -> str:
    source, target = (f"{language_name(code)} ({code})" for code in pair)
    return f"this server translates {source} into {target}"


def _taken_apart(
    translator: Translator, fields: TranslateFields, texts: Sequence[str], terms: Sequence[Term]
) -> list[PassingText]:
    held = () if fields.memory else terms  # where nothing is remembered, terms are put in as they are
    return [PassingText(translator, text, markup=fields.format == "html", held=held) for text in texts]


def _answer(
    fields: TranslateFields,
    texts: Sequence[str],
    alternatives: Sequence[Sequence[str]],
    detected: Detected,
) -> TranslateAnswer:
    """Return one translation for one text, a list for a list."""
    language = DetectedLanguage(confidence=detected.confidence, language=detected.language)
    others = [list(each) for each in alternatives] if fields.alternatives else None
    auto = fields.source == "auto"
    if isinstance(fields.q, list):
        languages = [language] * len(texts) if auto else None
        return TranslateAnswer(translatedText=list(texts), detectedLanguage=languages, alternatives=others)
    return TranslateAnswer(
        translatedText=texts[0],
        detectedLanguage=language if auto else None,
        alternatives=others[0] if others is not None else None,
    )


async def _correct(desk: Desk, client: Client, session: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Correct sentences of a session, the last that are like these; those that are not there are added."""

    def correct(record: Record) -> None:
        known = {each.source: number for number, each in enumerate(record.sentences, 1)}
        new = [Sentence(source, gap="\n") for source, _ in pairs if source not in known]
        if new and record.file is not None:
            raise WrongError(f"'{new[0].source[:100]}' is no sentence of this session's file")
        desk.check_sentences([*record.sentences, *new])
        added = record.append(new)
        known |= {each.source: place + 1 for each, place in zip(new, added, strict=True)}
        for source, text in pairs:
            record.correct(known[source], text)

    await desk.act(client.owner, session, correct)


async def _prepare(desk: Desk, client: Client, session: str, terms: Sequence[Term]) -> None:
    """See to it that a client's own session can be added to and has these terms in its glossary.

    If they are new there, what the machine has said is said anew.
    """
    record = await desk.look(client.owner, session)
    if record.file is not None:
        raise WrongError("this session is a file, which comes back as it was: nothing can be added to it")
    new = [term for term in terms if term not in record.glossary]
    if new:
        whole = [*record.glossary, *new]
        desk.check_terms(whole)
        await desk.act(client.owner, session, lambda record: record.set_terms(whole))
