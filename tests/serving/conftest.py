"""Sessions to test with, and servers to ask."""

import pytest

from recollect.serving.record import Record, Sentence


def _record(*sources: str, **facts: object) -> Record:
    """A record of some sentences, none of them translated."""
    given = {"id": "an id", "owner": "", "name": "", "created": 1.0, "changed": 1.0} | facts
    made = Record(**given, languages=("", ""), model="a model")
    made.append(Sentence(source) for source in sources)
    return made


@pytest.fixture(scope="session")
def make_record():
    return _record
