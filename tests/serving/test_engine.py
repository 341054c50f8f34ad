"""The engine: many sessions side by side are translated as each would be alone."""

import asyncio
import random
import time

import pytest

from recollect.context.hierarchical import HierarchicalRNNSearch
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.decoding.proofreading import Proofreader
from recollect.decoding.translator import Translator
from recollect.serving.engine import Engine, Job
from recollect.serving.record import MACHINE, Sentence
from recollect.serving.refusals import StoppingError
from recollect.serving.replay import Past, Rules

PLAIN = Rules(memory=True, glossary=(), pins=(), forgotten=())
WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]


def documents(count: int, sentences: int, seed: int = 1) -> list[list[str]]:
    chance = random.Random(seed)

    def sentence() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(0, 7)))

    return [[sentence() for _ in range(sentences)] for _ in range(count)]


def with_engine(translator, work, **options):
    """Run `work(engine)` beside a running engine."""

    async def run():
        engine = Engine(translator, **options)
        engine.start()
        try:
            return await work(engine)
        finally:
            await engine.stop()

    return asyncio.run(run())


async def translate(engine: Engine, session: str, sources: list[str], pause: float = 0.0) -> list[str]:
    """Translate a document as its session would be."""
    done: list[Sentence] = []
    for source in sources:
        await asyncio.sleep(pause)
        said = await engine.translate(Past(session, PLAIN, tuple(done)), Sentence(source))
        done.append(Sentence(source, said.text, MACHINE, said.tokens, said.aligned))
    return [each.text or "" for each in done]


@pytest.mark.parametrize("options", [{}, {"lanes": 3}, {"cache": 1}], ids=["plain", "few lanes", "no room"])
def test_sessions_side_by_side_are_as_each_is_alone(make_translator, options):
    translator = make_translator(memory={"size": 12, "fusion": "shallow", "spread": 1.0})
    texts = documents(6, 5)
    expected = [[each.text for each in translator.translate(text)] for text in texts]
    chance = random.Random(2)

    async def work(engine):
        return await asyncio.gather(
            *(translate(engine, str(n), text, chance.random() / 100) for n, text in enumerate(texts))
        )

    assert with_engine(translator, work, **options) == expected


def test_what_is_said_has_been_proofread(make_translator, make_model, monkeypatch):
    plain = make_translator(memory={"size": 12, "fusion": "shallow", "spread": 1.0})
    back = make_model(seed=7, source=16, target=14)
    judge = Proofreader(back, plain.target_vocabulary, plain.source_vocabulary, weight=4.0, reward=0.3)
    translator = plain.replaced(proofreader=judge)
    texts = documents(4, 5)

    def said(translator):
        return [[each.text for each in translator.translate(text)] for text in texts]

    expected = said(translator)
    assert expected != said(plain)
    with monkeypatch.context() as unheard:
        unheard.setattr(Translator, "_raised", lambda self, found, slots: [0.0] * len(found))
        assert expected != said(translator)

    async def work(engine):
        return await asyncio.gather(*(translate(engine, str(n), text) for n, text in enumerate(texts)))

    assert with_engine(translator, work) == expected


@pytest.mark.parametrize("rival", [HierarchicalRNNSearch, SecondAttentionRNNSearch])
def test_a_model_that_looks_back_sees_the_sentences_before(make_translator, rival):
    translator = make_translator(model={"build": rival})
    texts = documents(3, 4)
    expected = [[each.text for each in translator.translate(text)] for text in texts]

    async def work(engine):
        return await asyncio.gather(*(translate(engine, str(n), text) for n, text in enumerate(texts)))

    assert with_engine(translator, work) == expected


def test_alone_means_with_nothing_remembered(make_translator):
    translator = make_translator(memory={"size": 12, "fusion": "shallow", "spread": 1.0})
    (text,) = documents(1, 6)
    expected = [each.text for each in translator.without_memory().translate(text)]

    async def work(engine):
        await translate(engine, "other", text)
        return [each.text for each in await asyncio.gather(*(engine.alone(source) for source in text))]

    assert with_engine(translator, work) == expected


def test_what_nobody_waits_for_any_more_is_left(make_translator):
    translator = make_translator()
    (text,) = documents(1, 4)

    async def work(engine):
        tasks = [asyncio.create_task(engine.alone("ba be bi bo bu")) for _ in range(20)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        return await translate(engine, "one", text)

    assert with_engine(translator, work, lanes=1) == [each.text for each in translator.translate(text)]


def test_a_long_past_does_not_hold_up_others(make_translator):
    """A session whose memory is gone is remembered anew bit by bit, between the others' sentences."""
    translator = make_translator(memory={"size": 500, "policy": "lru"})
    long = tuple(Sentence("ba be bi", "ka ke ki", MACHINE) for _ in range(2000))
    order = []

    async def slow(engine):
        await engine.translate(Past("long", PLAIN, long), Sentence("bo"))
        order.append("long")

    async def quick(engine):
        await translate(engine, "short", ["ba", "be"])
        order.append("short")

    async def work(engine):
        await asyncio.gather(slow(engine), quick(engine))

    with_engine(translator, work)
    assert order == ["short", "long"]


def test_what_one_session_passes_over_gives_no_other_more_than_its_portion(make_translator):
    translator = make_translator(memory={"size": 10, "policy": "fifo"})
    past = tuple(Sentence("ba be bi", "ka ke ki", MACHINE) for _ in range(300))

    async def work():
        engine = Engine(translator)

        def job(session, count):
            answer = asyncio.get_running_loop().create_future()
            return Job(answer, Past(session, PLAIN, past[:count]), "bo")

        engine._prepare([job("short", 3)], 4, 64)
        engine._prepare([job("long", 200), job("short", 300)], 4, 8)
        return engine._memories["short"].count

    assert asyncio.run(work()) <= 3 + 8


def test_work_that_fails_hurts_nobody_else(make_translator):
    translator = make_translator()

    async def work(engine):
        answers = await asyncio.gather(
            engine.call(lambda: 1 / 0), translate(engine, "one", ["ba be"]), return_exceptions=True
        )
        return [type(answers[0]), answers[1]]

    assert with_engine(translator, work) == [ZeroDivisionError, [translator.translate(["ba be"])[0].text]]


def test_a_search_that_fails_is_told_and_the_next_one_works(make_translator, monkeypatch):
    translator = make_translator()
    predict, broken = translator.spoken.fuse, [True]

    def fuse(*arguments):
        if broken.pop() if broken else False:
            raise RuntimeError("a mishap")
        return predict(*arguments)

    monkeypatch.setattr(translator.spoken, "fuse", fuse)

    async def work(engine):
        with pytest.raises(RuntimeError, match="a mishap"):
            await engine.alone("ba be")
        return (await engine.alone("ba be")).text

    assert with_engine(translator, work) == translator.without_memory().translate(["ba be"])[0].text


def test_stopping_finishes_what_is_under_way_and_gives_up_the_rest(make_translator):
    translator = make_translator()

    async def work(engine):
        tasks = [asyncio.create_task(engine.alone("ba be bi bo bu da de")) for _ in range(5)]
        while engine.metrics.waiting._value.get() == 0:
            await asyncio.sleep(0.001)
        await engine.stop()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        with pytest.raises(StoppingError):
            await engine.alone("ba")
        return answers

    answers = with_engine(translator, work, lanes=1)
    assert {isinstance(each, StoppingError) for each in answers} == {True, False}


def test_memories_at_hand_have_a_bound(make_translator):
    translator = make_translator(memory={"size": 50})

    async def work(engine):
        for number in range(30):
            await translate(engine, str(number), ["ba be"])
        deadline = time.monotonic() + 10
        while engine.metrics.memories._value.get() > engine.cache and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        return len(engine._memories), engine.metrics.memories._value.get()

    count, held = with_engine(translator, work, cache=100_000)
    assert 1 <= count < 30
    assert held <= 100_000


def test_why_a_sentence_is_new_is_told(make_translator):
    translator = make_translator(memory={"size": 12, "fusion": "shallow", "spread": 1.0})
    told = Sentence("ba be bi", "ka ke ki", "corrected")

    async def work(engine):
        before = Sentence("ba be bo", "something else", MACHINE)
        return await engine.translate(Past("one", PLAIN, (told,)), before)

    said = with_engine(translator, work)
    assert [each.word for each in said.why] == said.text.split()
    for each in said.why:
        assert said.text[each.start : each.end] == each.word
        assert {look.sentence for look in each.looks} == {1}
        assert {look.origin for look in each.looks} == {"correction"}
