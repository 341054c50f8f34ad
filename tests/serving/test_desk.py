"""Sessions at work: what people do while the machine is at it, and several at once."""

import asyncio
from dataclasses import replace

import pytest

from recollect.serving.access import SITE, Owner
from recollect.serving.desk import Desk
from recollect.serving.engine import Engine
from recollect.serving.exchange import Export, exported, fill
from recollect.serving.inspection import explain, find_flags, inspect_memory
from recollect.serving.record import CORRECTED, Sentence
from recollect.serving.refusals import MissingError, StoppingError, TooLargeError, WrongError
from recollect.serving.routes_events import events
from recollect.serving.settings import Settings
from recollect.serving.sqlite_store import SQLiteStore
from recollect.text.glossary import Term

ANNA, BOB = Owner("anna"), Owner("bob")
WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
TEXT = [f"{WORDS[n % 10]} {WORDS[n * 3 % 10]} {WORDS[n * 7 % 10]}" for n in range(12)]


@pytest.fixture(scope="module")
def translator(make_translator):
    return make_translator(memory={"size": 20, "fusion": "shallow", "spread": 1.0})


def at_desk(translator, folder, work, desks=1, **options):
    """Run `work` with desks over one store, each with an engine of its own."""

    async def run():
        made = []
        for _ in range(desks):
            store = SQLiteStore(folder / "sessions.db")
            made.append(Desk(Settings(**options), Engine(translator), store, "a model"))
            made[-1].engine.start()
            made[-1].start()
        try:
            return await work(*made)
        finally:
            for desk in made:
                await desk.close()
                await desk.engine.stop()
                await desk.store.close()

    return asyncio.run(run())


def sentences(texts):
    return [Sentence(text) for text in texts]


async def done(desk, owner, session):
    """Wait until nothing is waiting."""
    while not (record := await desk.look(owner, session)).is_done:
        await asyncio.sleep(0.002)
    return record


def told(translator, given):
    """What the machine says of TEXT after some corrections (by place), all of them known beforehand."""
    found = list(translator.stream([TEXT], settled={0: given}))
    return [each.translation.text for each in found]


def texts(record):
    return [each.text for each in record.sentences]


def test_a_correction_is_followed_as_if_it_had_always_been_there(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT))
        first = texts(await done(desk, ANNA, record.id))
        assert first == [each.text for each in translator.translate(TEXT)]
        await desk.act(ANNA, record.id, lambda each: each.correct(2, "ma me ma"))
        after = await done(desk, ANNA, record.id)
        assert texts(after) == told(translator, {1: "ma me ma"})
        followed = after.followed()
        changed = [place for place in range(2, 12) if after.sentences[place].text != first[place]]
        assert list(followed.places) == changed
        assert changed, "nothing follows: the test tells nothing"
        assert [after.sentences[place].before for place in changed] == [first[place] for place in changed]
        assert (await desk.act(ANNA, record.id, lambda each: each.undo())).what == "correction of sentence 2"
        assert texts(await done(desk, ANNA, record.id)) == first

    at_desk(translator, tmp_path, work)


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.1])
def test_corrections_in_the_middle_of_it_start_again_from_the_right_place(translator, tmp_path, pause):
    given = {4: "ma me", 1: "lu lo", 7: "me", 0: "ka"}

    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT))
        for place, text in given.items():
            await asyncio.sleep(pause)
            await desk.act(ANNA, record.id, lambda each, at=place, to=text: each.correct(at + 1, to))
        assert texts(await done(desk, ANNA, record.id)) == told(translator, given)

    at_desk(translator, tmp_path, work)


def test_sessions_do_not_know_of_each_other(translator, tmp_path):
    """Many at once, corrected in different ways: each is as it would be alone."""
    ways = [{n: "ma me ma"} for n in range(6)]

    async def work(desk):
        records = await asyncio.gather(*(desk.create(ANNA, sentences(TEXT)) for _ in ways))
        for record, given in zip(records, ways, strict=True):
            for place, text in given.items():
                await desk.act(ANNA, record.id, lambda each, at=place, to=text: each.correct(at + 1, to))
        return [texts(await done(desk, ANNA, record.id)) for record in records]

    found = at_desk(translator, tmp_path, work)
    assert found == [told(translator, given) for given in ways]


def test_nobody_finds_what_belongs_to_others(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:1]), name="mine")
        for owner in (BOB, SITE):
            with pytest.raises(MissingError, match="there is no session"):
                await desk.look(owner, record.id)
            with pytest.raises(MissingError, match="there is no session"):
                await desk.act(owner, record.id, lambda each: each.correct(1, "ma"))
            with pytest.raises(MissingError, match="there is no session"):
                await desk.delete(owner, record.id)
            with pytest.raises(MissingError, match="there is no session"):
                await desk.follow(owner, record.id, 0)
            assert await desk.heads(owner) == []
        assert [head.name for head in await desk.heads(ANNA)] == ["mine"]
        nameless = await desk.create(SITE, sentences(TEXT[:1]))
        assert await desk.heads(SITE) == [], "an id is a secret where there are no keys"
        assert (await desk.look(SITE, nameless.id)).id == nameless.id

    at_desk(translator, tmp_path, work)


def test_limits(translator, tmp_path):
    async def work(desk):
        with pytest.raises(TooLargeError, match="at most 3 sentences"):
            await desk.create(ANNA, sentences(["ba"] * 4))
        with pytest.raises(TooLargeError, match="at most 10 characters"):
            await desk.create(ANNA, sentences(["ba ba ba ba ba"]))
        with pytest.raises(TooLargeError, match="the glossary has 9 words"):
            await desk.create(ANNA, [], glossary=[Term("ba", "ka ke ki")] * 3)
        record = await desk.create(ANNA, sentences(["ba"] * 2))
        await desk.append(ANNA, record.id, sentences(["ba"]))
        with pytest.raises(TooLargeError, match="at most 3 sentences"):
            await desk.append(ANNA, record.id, sentences(["ba"]))
        await desk.create(ANNA, [])
        with pytest.raises(TooLargeError, match="there are 2 sessions already"):
            await desk.create(ANNA, [])
        await desk.create(BOB, [])

    at_desk(translator, tmp_path, work, sentences=3, characters=10, sessions=2)


def test_sessions_expire(translator, tmp_path):
    async def work(desk):
        old = await desk.create(ANNA, sentences(["ba"]))
        await done(desk, ANNA, old.id)
        desk.sessions.clock = lambda: old.changed + 1_000_000.0
        new = await desk.create(ANNA, sentences(["ba"]))
        assert await desk.sweep() == 1
        with pytest.raises(MissingError):
            await desk.look(ANNA, old.id)
        assert (await desk.look(ANNA, new.id)).id == new.id

    at_desk(translator, tmp_path, work, expiry=500_000.0)


def test_few_sessions_are_kept_at_hand(translator, tmp_path):
    async def work(desk):
        records = [await desk.create(ANNA, sentences(TEXT[:2])) for _ in range(6)]
        for record in records:
            assert None not in texts(await done(desk, ANNA, record.id))
        assert len(desk.sessions.all()) <= 3

    at_desk(translator, tmp_path, work, open_sessions=2)


def test_two_desks_over_one_store(translator, tmp_path):
    """Each sees what the other has done, and what one cannot store since the other was quicker is redone."""

    async def work(one, other):
        record = await one.create(ANNA, sentences(TEXT))
        await done(one, ANNA, record.id)
        await other.act(ANNA, record.id, lambda each: each.correct(1, "ka"))
        given = {0: "ka"}
        assert (await one.look(ANNA, record.id)).sentences[0].text == "ka"
        for place, text in ((5, "ma"), (3, "lu"), (8, "me")):
            given[place] = text
            desk = (one, other)[place % 2]
            await desk.act(ANNA, record.id, lambda each, at=place, to=text: each.correct(at + 1, to))
        found = [texts(await done(desk, ANNA, record.id)) for desk in (one, other)]
        assert found == [told(translator, given)] * 2
        await other.delete(ANNA, record.id)
        with pytest.raises(MissingError):
            await one.look(ANNA, record.id)

    at_desk(translator, tmp_path, work, desks=2)


def test_many_corrections_at_once_are_all_there(translator, tmp_path):
    async def work(one, other):
        record = await one.create(ANNA, sentences(TEXT))
        await asyncio.gather(
            *(
                (one, other)[place % 2].act(
                    ANNA, record.id, lambda each, at=place: each.correct(at + 1, f"ka {at}")
                )
                for place in range(12)
            )
        )
        assert texts(await one.look(ANNA, record.id)) == [f"ka {place}" for place in range(12)]
        assert len((await other.look(ANNA, record.id)).steps) == 12

    at_desk(translator, tmp_path, work, desks=2)


def test_a_restarted_server_goes_on_where_the_last_one_stopped(translator, tmp_path):
    async def begin(desk):
        record = await desk.create(ANNA, sentences(TEXT))
        await desk.act(ANNA, record.id, lambda each: each.correct(3, "ma me"))
        return record.id

    session = at_desk(translator, tmp_path, begin)

    async def go_on(desk):
        return texts(await done(desk, ANNA, session))

    assert at_desk(translator, tmp_path, go_on) == told(translator, {2: "ma me"})


def test_what_a_request_waits_for_is_finished_when_the_server_ends(translator, tmp_path):
    async def work(desk):
        awaited = await desk.create(ANNA, sentences(TEXT))
        left = await desk.create(ANNA, sentences(TEXT * 20))
        waiting = asyncio.create_task(desk.wait(ANNA, awaited.id, range(12), 60))
        await asyncio.sleep(0)
        desk.dismiss()
        assert None not in texts(await waiting)
        assert None in texts(await desk.look(ANNA, left.id)), "nobody waits for it: it can go on later"

    at_desk(translator, tmp_path, work)


def test_what_cannot_be_finished_is_refused_when_the_server_ends(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT * 20))
        desk.dismiss()
        with pytest.raises(StoppingError):
            await desk.wait(ANNA, record.id, range(240), 60)

    at_desk(translator, tmp_path, work, patience=0.1)


def test_what_followers_are_told(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT))
        live, follower = await desk.follow(ANNA, record.id, 0)
        heard, last = set(), None
        while last is None or not last.done:
            last = await follower.news(10)
            heard |= set(last.places)
        assert heard == set(range(12))
        before = live.record.revision
        await desk.act(ANNA, record.id, lambda each: each.correct(2, "ma me ma"))
        heard, reported, last = set(), False, None
        while last is None or not last.done:
            last = await follower.news(10)
            heard |= set(last.places)
            reported |= last.report
        assert reported
        assert heard == {1, *live.record.followed().places}
        _, late = await desk.follow(ANNA, record.id, before)
        news = await late.news(10)
        assert (set(news.places), news.report, news.done) == (heard, True, True)
        _, current = await desk.follow(ANNA, record.id, live.record.revision)
        assert (await current.news(10)).places == ()
        assert await current.news(0.01) is None
        await desk.delete(ANNA, record.id)
        assert (await follower.news(10)).gone

    at_desk(translator, tmp_path, work)


def test_a_client_that_has_left_already_follows_nothing(translator, tmp_path):
    async def left():
        return {"type": "http.disconnect"}

    async def send(message):
        await asyncio.sleep(1)  # a connection that takes nothing for now

    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:2]))
        await done(desk, ANNA, record.id)
        stream = await events(record.id, desk, ANNA, 0, None)
        await stream({"type": "http"}, left, send)
        assert not (await desk.open(ANNA, record.id)).followers
        assert desk.engine.metrics.followers._value.get() == 0

    at_desk(translator, tmp_path, work)


def test_looking_into_a_session(make_translator, tmp_path):
    translator = make_translator(memory={"size": 60, "policy": "fifo", "fusion": "shallow"})

    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:4]), glossary=[Term("ba", "ma")])
        await desk.act(ANNA, record.id, lambda each: each.correct(1, "lu lo"))
        await done(desk, ANNA, record.id)
        memory = await inspect_memory(desk, ANNA, record.id)
        assert memory.size == 60
        assert memory.used == sum(each.pieces for each in memory.words)
        by_word = {each.word: each for each in memory.words}
        assert (by_word["ma"].origin, by_word["ma"].sentence, by_word["ma"].pinned) == ("glossary", 0, True)
        found = {(each.word, each.sentence, each.origin) for each in memory.words}
        assert {("lu", 1, "correction"), ("lo", 1, "correction")} <= found
        told = await explain(desk, ANNA, record.id, 2)
        assert " ".join(each.piece for each in told.words) == told.sentence.text
        assert {look.sentence for each in told.words for look in each.looks} <= {0, 1}
        assert told.alone == translator.without_memory().translate([TEXT[1]])[0].text
        await desk.act(ANNA, record.id, lambda each: each.pin("lu"))
        await done(desk, ANNA, record.id)
        words = (await inspect_memory(desk, ANNA, record.id)).words
        assert {each.word for each in words if each.pinned} == {"ma", "lu"}
        await desk.act(ANNA, record.id, lambda each: each.forget("lo"))
        await done(desk, ANNA, record.id)
        words = (await inspect_memory(desk, ANNA, record.id)).words
        assert ("lo", 1) not in {(each.word, each.sentence) for each in words}

    at_desk(translator, tmp_path, work)


def test_the_memory_can_be_switched_off_and_on(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT))
        on = texts(await done(desk, ANNA, record.id))
        await desk.act(ANNA, record.id, lambda each: each.switch_memory(False))
        off = texts(await done(desk, ANNA, record.id))
        assert off == [each.text for each in translator.without_memory().translate(TEXT)]
        assert not (await inspect_memory(desk, ANNA, record.id)).on
        await desk.act(ANNA, record.id, lambda each: each.switch_memory(True))
        assert texts(await done(desk, ANNA, record.id)) == on

    at_desk(translator, tmp_path, work)


def test_nothing_is_remembered_of_a_session_that_is_deleted(translator, tmp_path):
    async def work(desk):
        records = [await desk.create(ANNA, sentences(TEXT)) for _ in range(2)]
        for record in records:
            await done(desk, ANNA, record.id)
        assert await desk.engine.call(lambda: set(desk.engine._memories)) == {each.id for each in records}
        await desk.delete(ANNA, records[0].id)
        assert await desk.engine.call(lambda: set(desk.engine._memories)) == {records[1].id}

    at_desk(translator, tmp_path, work)


def test_a_session_is_taken_elsewhere(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT), name="a name", glossary=[Term("ba", "ma")])
        await desk.act(ANNA, record.id, lambda each: each.correct(1, "lu lo"))
        await desk.act(ANNA, record.id, lambda each: each.pin("lu"))
        record = await done(desk, ANNA, record.id)
        copy = Export.model_validate_json(exported(record, None).model_dump_json())
        blank = desk.blank(BOB)
        fill(blank, copy)
        taken = await desk.begin(BOB, blank)
        assert taken.id != record.id
        assert (taken.name, taken.pins, taken.glossary) == (record.name, record.pins, record.glossary)
        assert texts(taken) == texts(record)
        assert taken.sentences[0].state == CORRECTED
        await desk.append(BOB, taken.id, sentences(["ba be"]))
        await desk.append(ANNA, record.id, sentences(["ba be"]))
        both = [texts(await done(desk, *each))[-1] for each in ((ANNA, record.id), (BOB, taken.id))]
        assert both[0] == both[1], "it remembers the same"
        with pytest.raises(WrongError, match="this session is from zh to en"):
            fill(desk.blank(BOB), copy.model_copy(update={"languages": ("zh", "en")}))

    at_desk(translator, tmp_path, work)


def test_what_was_said_again_after_it_was_forgotten_is_remembered_elsewhere(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:2]))
        await desk.act(ANNA, record.id, lambda each: each.correct(1, "lu lo"))
        await desk.act(ANNA, record.id, lambda each: each.forget("lu"))
        await desk.act(ANNA, record.id, lambda each: each.forget("lo"))
        await desk.act(ANNA, record.id, lambda each: each.correct(2, "lu la"))
        record = await done(desk, ANNA, record.id)
        blank = desk.blank(BOB)
        fill(blank, Export.model_validate_json(exported(record, None).model_dump_json()))
        taken = await desk.begin(BOB, blank)
        there = [
            [(each.word, each.sentence) for each in (await inspect_memory(desk, *session)).words]
            for session in ((ANNA, record.id), (BOB, taken.id))
        ]
        assert there[0] == there[1]
        assert ("lu", 2) in there[1]
        assert "lo" not in {word for word, _ in there[1]}
        await desk.act(BOB, taken.id, lambda each: each.correct(1, "lo"))
        await done(desk, BOB, taken.id)
        later = (await inspect_memory(desk, BOB, taken.id)).words
        assert ("lo", 1) in [(each.word, each.sentence) for each in later]

    at_desk(translator, tmp_path, work)


def test_a_translation_that_fails_is_tried_again_when_somebody_asks(translator, tmp_path, monkeypatch):
    async def work(desk):
        real, broken = desk.engine.translate, [True]

        async def translate(past, sentence, later):
            if broken:
                broken.clear()
                raise RuntimeError("a mishap")
            return await real(past, sentence, later)

        monkeypatch.setattr(desk.engine, "translate", translate)
        record = await desk.create(ANNA, sentences(TEXT))
        assert None not in texts(await done(desk, ANNA, record.id))
        assert desk.engine.metrics.failures._value.get() == 1

    at_desk(translator, tmp_path, work)


def test_a_store_that_fails_loses_nothing_that_was_acknowledged(translator, tmp_path, monkeypatch):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:2]))
        await done(desk, ANNA, record.id)
        write = desk.store.write

        async def fail(*arguments):
            raise RuntimeError("the disk is full")

        monkeypatch.setattr(desk.store, "write", fail)
        with pytest.raises(RuntimeError, match="the disk is full"):
            await desk.act(ANNA, record.id, lambda each: each.correct(1, "ma"))
        monkeypatch.setattr(desk.store, "write", write)
        assert (await desk.look(ANNA, record.id)).sentences[0].text != "ma", "it was not acknowledged"
        await desk.act(ANNA, record.id, lambda each: each.correct(2, "me"))
        assert (await done(desk, ANNA, record.id)).sentences[1].text == "me"

    at_desk(translator, tmp_path, work)


def test_a_change_that_is_being_stored_hides_no_revision(translator, tmp_path, monkeypatch):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:2]))
        before = (await done(desk, ANNA, record.id)).revision
        live = await desk.open(ANNA, record.id)
        write, reached, go = desk.store.write, asyncio.Event(), asyncio.Event()

        async def slowly(*arguments):
            reached.set()
            await go.wait()
            return await write(*arguments)

        monkeypatch.setattr(desk.store, "write", slowly)
        acting = asyncio.create_task(desk.act(ANNA, record.id, lambda each: each.correct(1, "ma")))
        await reached.wait()
        assert live.record.revision == before, "who looks now can follow from here"
        go.set()
        await acting

    at_desk(translator, tmp_path, work)


def test_the_machine_stores_nothing_beside_what_could_not_be_stored(translator, tmp_path, monkeypatch):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:2]))
        await done(desk, ANNA, record.id)
        live, write = await desk.open(ANNA, record.id), desk.store.write

        async def fail(*arguments):
            raise RuntimeError("the disk is full")

        monkeypatch.setattr(desk.store, "write", fail)
        with pytest.raises(RuntimeError, match="the disk is full"):
            await desk.act(ANNA, record.id, lambda each: each.correct(1, "ma"))
        monkeypatch.setattr(desk.store, "write", write)
        async with live.lock:
            assert not await desk.sessions.commit(live)
        assert live.record.is_done
        assert live.record.sentences[0].text != "ma"

    at_desk(translator, tmp_path, work)


def test_flags_are_those_of_the_sentences_looked_at(translator, tmp_path, monkeypatch):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT[:2]))
        await done(desk, ANNA, record.id)
        live = await desk.open(ANNA, record.id)
        call = desk.engine.call

        async def meanwhile(work):
            await desk.act(ANNA, record.id, lambda each: each.correct(1, "ma"))
            return await call(work)

        monkeypatch.setattr(desk.engine, "call", meanwhile)
        await desk.act(ANNA, record.id, lambda each: each.confirm(2))
        before = (await done(desk, ANNA, record.id)).revision
        await find_flags(desk, live)
        assert live.record.revision > before
        assert live.flags[0] == before

    at_desk(translator, tmp_path, work)


def test_a_sentence_stored_by_another_model_is_remembered_by_its_text(translator, tmp_path):
    async def work(desk):
        record = await desk.create(ANNA, sentences(TEXT))
        return record.id, texts(await done(desk, ANNA, record.id))

    session, before = at_desk(translator, tmp_path, work)

    async def with_another(desk):
        other = Desk(desk.settings, desk.engine, desk.store, "another model")
        assert texts(await other.look(ANNA, session)) == before
        await other.act(ANNA, session, lambda each: each.correct(2, "ma me ma"))
        record = await done(other, ANNA, session)
        assert texts(record) == told(translator, {1: "ma me ma"})
        assert replace(record.sentences[2], revision=0).tokens

    at_desk(translator, tmp_path, with_another)
