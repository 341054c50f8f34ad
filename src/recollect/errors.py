"""Everything that can go wrong because of what we were given, one class per kind of remedy.

RecollectError
├── ConfigError   an option, preset or override is wrong: edit the configuration
├── DataError     a corpus or document cannot be read or trusted: fix the file
├── ModelError    a model folder is missing, damaged or does not fit: choose another model
└── RunError      a run folder cannot be used as asked: resume it as it was, or choose another folder
"""

__all__ = ["ConfigError", "DataError", "ModelError", "RecollectError", "RunError"]


class RecollectError(Exception):
    """A problem the user can mend; its text says what, where and what would be right."""


class ConfigError(RecollectError):
    """An option is unknown, of the wrong kind, out of range, or at odds with another one."""


class DataError(RecollectError):
    """A file is missing, unreadable, or its lines cannot be trusted to belong together."""


class ModelError(RecollectError):
    """A model folder is missing, incomplete, damaged, or made for something else."""


class RunError(RecollectError):
    """A run folder holds another run than the one asked for, or cannot be resumed."""
