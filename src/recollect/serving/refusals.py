"""Answers that are no: each is one sentence and a status of HTTP."""

from recollect.errors import RecollectError

__all__ = [
    "BusyError",
    "DeniedError",
    "MissingError",
    "RefusalError",
    "StoppingError",
    "StoreError",
    "TooLargeError",
    "TooManyError",
    "UnreadyError",
    "WrongError",
]


class RefusalError(RecollectError):
    """A request that is not done."""

    status = 400


class WrongError(RefusalError):
    """The request asks for what cannot be."""


class DeniedError(RefusalError):
    """Nobody has shown who they are."""

    status = 401


class MissingError(RefusalError):
    """There is no such thing, or it is somebody else's."""

    status = 404


class BusyError(RefusalError):
    """Somebody else is changing the same thing."""

    status = 409


class StoppingError(RefusalError):
    """The server is about to end."""

    status = 503


class StoreError(RefusalError):
    """The store does not answer."""

    status = 503


class TooLargeError(RefusalError):
    """More than is allowed at once."""

    status = 413


class TooManyError(RefusalError):
    """More than is allowed in a time; where that is known, `wait` seconds make it allowed again."""

    status = 429

    def __init__(self, text: str, wait: int | None = None) -> None:
        super().__init__(text)
        self.wait = wait


class UnreadyError(RefusalError):
    """It cannot be done now."""

    status = 503
