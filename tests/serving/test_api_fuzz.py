"""Whatever the server's own description allows, and much that it does not, gets an answer: never a fault."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from running import thread
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from recollect.serving.settings import Settings

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def address(make_translator: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    limits = Settings(sentences=50, sessions=100, answer=20)
    with thread(make_translator(), tmp_path_factory.mktemp("server"), limits) as address:
        yield address


def test_no_request_is_a_fault(address: str) -> None:
    # A stream of events has no end.
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json").exclude(path_regex="/events$")
    faults = []
    for operation in schema.get_all_operations():
        try:
            ask(operation.ok(), new_session(address))
        except FailureGroup as group:
            faults += [f"{operation.ok().label}: {fault.title}: {fault}" for fault in group.exceptions]
    assert not faults, "\n\n".join(faults)


def new_session(address: str) -> str:
    body = {"sentences": ["ba be bi", "bo bu", "da de"], "glossary": [{"source": "ba", "target": "ka"}]}
    return str(httpx.post(f"{address}/v1/sessions", json=body).json()["id"])


def ask(operation: APIOperation[Any, Any, Any, Any], session: str) -> None:
    """Ask whatever is allowed, and what is not, half of the time about a session that is there."""

    @given(st.one_of(operation.as_strategy(), operation.as_strategy(GenerationMode.NEGATIVE)), st.booleans())
    @settings(
        max_examples=8,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def once(case: Case, there: bool) -> None:
        if there and "session" in case.path_parameters:
            case.path_parameters["session"] = session
        if there and "number" in case.path_parameters:
            case.path_parameters["number"] = 1 + len(str(case.path_parameters["number"])) % 4
        case.call_and_validate(checks=CHECKS, timeout=30)

    once()
