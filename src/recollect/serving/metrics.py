"""Figures for operators, in the form that Prometheus reads."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

__all__ = ["Metrics"]

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LANES = (1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """All the figures of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "recollect_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "recollect_request_seconds",
            "Time until the answer began.",
            ["method", "route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.sentences = Counter("recollect_sentences", "Sentences translated.", registry=self.registry)
        self.sentence_seconds = Histogram(
            "recollect_sentence_seconds",
            "Time from asking for a sentence to having it.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.lanes = Histogram(
            "recollect_lanes",
            "Sentences under way side by side, at each step of the search.",
            buckets=_LANES,
            registry=self.registry,
        )
        self.waiting = Gauge("recollect_waiting", "Sentences that wait for a lane.", registry=self.registry)
        self.replayed = Counter(
            "recollect_replayed", "Sentences remembered anew after a correction.", registry=self.registry
        )
        self.memories = Gauge("recollect_memory_bytes", "Bytes of memories at hand.", registry=self.registry)
        self.open = Gauge("recollect_open_sessions", "Sessions at hand.", registry=self.registry)
        self.followers = Gauge("recollect_followers", "Streams of events.", registry=self.registry)
        self.actions = Counter("recollect_actions", "Changes that people have made.", registry=self.registry)
        self.conflicts = Counter(
            "recollect_conflicts", "Changes that another server was quicker with.", registry=self.registry
        )
        self.failures = Counter(
            "recollect_failures",
            "Translations that broke off; the log says why.",
            registry=self.registry,
        )
        self.expired = Counter("recollect_expired", "Sessions removed for their age.", registry=self.registry)

    def text(self) -> bytes:
        """Return everything as Prometheus reads it."""
        return generate_latest(self.registry)
