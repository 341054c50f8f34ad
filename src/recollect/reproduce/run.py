"""Running experiments: what they need is made once, side by side where asked, and then measured."""

import json
import os
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from typing import Any

import torch

from recollect.errors import ConfigError, RecollectError
from recollect.files import whole_folder
from recollect.progress import SilentProgress, TerminalProgress
from recollect.reproduce.corpus import Domain, invent_domain, read_corpus
from recollect.reproduce.experiment import Experiment, System
from recollect.reproduce.kinds import ALONE, KINDS, TRANSLATING
from recollect.reproduce.scale import Scale
from recollect.reproduce.steps import RESULT, Clock, open_step
from recollect.reproduce.workshop import Workshop
from recollect.training.run import code_commit

__all__ = ["open_domains", "results_of", "run_experiments"]


@dataclass(frozen=True, slots=True)
class Job:
    """A system to train, and sets for it to translate."""

    label: str
    workshop: Workshop
    system: System
    sets: tuple[str, ...]
    experiments: tuple[str, ...]  # that need it

    @property
    def shares(self) -> bool:
        """Whether it is trained on what the first of its like leaves for all."""
        return self.system.trained == "memory"

    def __call__(self) -> None:
        """Do it."""
        self.workshop.trained(self.system)
        for each in self.sets:
            self.workshop.output(self.system, each)


@dataclass(frozen=True, slots=True)
class Measurement:
    """An experiment whose systems are ready."""

    experiment: Experiment
    workshops: tuple[Workshop, ...]
    folder: Path

    @property
    def label(self) -> str:
        """What to call it."""
        return self.experiment.name

    @property
    def key(self) -> str:
        """What tells this measurement from others."""
        domains = {}
        for workshop in self.workshops:
            systems = self.experiment.systems.items()
            sets = ("tune", "test")
            domains[workshop.domain.name] = {
                "systems": {name: workshop.identity(system) for name, system in systems},
                "sets": [workshop.domain.evaluation(each).identity() for each in sets],
                "shown": workshop.domain.shown and workshop.domain.shown.identity(),
                "tokenise": workshop.domain.tokenise,
            }
        first, kind = self.workshops[0], self.experiment.kind
        ingredients = {
            "experiment": self.experiment.model_dump(mode="json"),
            "domains": domains,
            "decoding": first.config(System()).decoding.model_dump(mode="json"),
            "speed": first.scale.speed.model_dump(mode="json") if kind == "speed" else None,
            "overrides": first.overrides,
        }
        return open_step(self.folder, "", ingredients).key

    @property
    def done(self) -> bool:
        """Whether this very measurement is there already."""
        path = self.folder / RESULT
        return path.is_file() and json.loads(path.read_text("utf-8"))["key"] == self.key

    def __call__(self) -> None:
        """Do it: the folder appears whole, its result written last."""
        experiment, clock = self.experiment, Clock()
        with whole_folder(self.folder) as draft:
            domains = KINDS[experiment.kind](experiment, self.workshops, draft)
            steps: dict[str, float] = {}
            for workshop in self.workshops:
                for system in experiment.systems.values():
                    sets = experiment.sets if experiment.kind in TRANSLATING else ()
                    steps |= workshop.seconds(system, sets)
            own = clock.figures()
            result = {
                "key": self.key,
                **experiment.model_dump(mode="json"),
                "scale": self.workshops[0].scale.name,
                "about": self.workshops[0].scale.about,
                "seed": self.workshops[0].config(System()).seed,
                "commit": code_commit(),
                "cpu_seconds": round(sum(steps.values()) + own["cpu_seconds"], 1),
                "steps": steps,
                "domains": domains,
            }
            text = json.dumps(result, indent=1, ensure_ascii=False, default=str) + "\n"
            (draft / RESULT).write_text(text, "utf-8")


def open_domains(scale: Scale, corpus: Path | None, home: Path) -> list[Domain]:
    """Return the domains to run on: those of the corpus file, or what the scale itself invents."""
    if corpus is not None:
        return read_corpus(corpus)
    if scale.invented is None:
        raise ConfigError(f"--scale {scale.name} needs --corpus FILE: see docs/how-to/reproduce.md")
    return [invent_domain(home / "invented", scale.invented)]


def results_of(home: Path, scale: str) -> Path:
    """Return where the results of a scale are."""
    return home / "results" / scale


def run_experiments(
    chosen: Sequence[Experiment],
    scale: Scale,
    domains: Sequence[Domain],
    home: Path,
    *,
    overrides: Sequence[str] = (),
    processes: int = 1,
    progress: SilentProgress | TerminalProgress,
) -> list[str]:
    """Run experiments; return a sentence for each thing that failed, after everything else has been done."""
    shown = progress if processes == 1 else SilentProgress()
    workshops = [Workshop(home / "steps", scale, domain, tuple(overrides), shown) for domain in domains]
    for workshop in workshops:  # every system begins with these
        progress.say(f"{workshop.domain.name}: preparing data and sentence model")
        workshop.base()
    measurements = [
        Measurement(each, tuple(workshops), results_of(home, scale.name) / each.name) for each in chosen
    ]
    due = []
    for each in measurements:
        if each.done:
            progress.say(f"{each.label}: done before")
        else:
            due.append(each)
    jobs = _jobs(due)
    crew = _Crew(processes, progress)
    failed = crew.work(jobs, after={job.label: first.label for job, first in _waiting(jobs)})
    lost = {name for job in jobs if job.label in failed for name in job.experiments}
    ready = [each for each in due if each.label not in lost]
    failed |= crew.work([each for each in ready if each.experiment.kind not in ALONE])
    failed |= _Crew(1, progress).work([each for each in ready if each.experiment.kind in ALONE])
    return [f"{label}: {problem}" for label, problem in failed.items()]


def _jobs(measurements: Iterable[Measurement]) -> list[Job]:
    """Return what is to be made for them, every system once."""
    found: dict[tuple[str, ...], Job] = {}
    for each in measurements:
        sets = each.experiment.sets if each.experiment.kind in TRANSLATING else ()
        for name, system in each.experiment.systems.items():
            for workshop in each.workshops:
                domain = workshop.domain.name
                key = domain, workshop.identity(system), json.dumps(system.decoding)
                label = f"{domain}, {each.label}: {name}"
                job = found.get(key, Job(label, workshop, system, (), ()))
                found[key] = replace(
                    job,
                    sets=tuple(dict.fromkeys((*job.sets, *sets))),
                    experiments=(*job.experiments, each.label),
                )
    return list(found.values())


def _waiting(jobs: Sequence[Job]) -> list[tuple[Job, Job]]:
    """Return memories with the first one of their domain, which computes what all are trained on."""
    firsts: dict[str, Job] = {}
    found = []
    for job in jobs:
        if job.shares:
            first = firsts.setdefault(job.workshop.domain.name, job)
            if job is not first:
                found.append((job, first))
    return found


class _Crew:
    """Does work in this process, or in several of one thread each."""

    def __init__(self, processes: int, progress: SilentProgress | TerminalProgress) -> None:
        self.processes, self.progress = processes, progress

    def work(self, todo: Sequence[Any], after: dict[str, str] | None = None) -> dict[str, str]:
        """Do everything, some of it `after` something else (by labels); return what failed, and why."""
        after = after or {}
        failures: dict[str, str] = {}

        def told(label: str, number: int, problem: str | None, clock: Clock) -> None:
            if problem is not None:
                failures[label] = problem
            state = "done" if problem is None else f"failed: {problem}"
            self.progress.say(f"[{number}/{len(todo)}] {label}: {state} ({clock.figures()['seconds']:.0f} s)")

        if self.processes == 1 or len(todo) < 2:
            for number, each in enumerate(todo, 1):
                clock = Clock()
                told(each.label, number, _attempt(each), clock)
            return failures
        left = {each.label: each for each in todo}
        with _pool(self.processes) as pool:
            running: dict[Future[str | None], tuple[Any, Clock]] = {}

            def begin(work: Any) -> None:
                running[pool.submit(_attempt, _bare(work))] = work, Clock()

            try:
                for each in todo:
                    if each.label not in after:
                        begin(each)
                while running:
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        each, clock = running.pop(future)
                        problem = future.result()
                        del left[each.label]
                        told(each.label, len(todo) - len(left), problem, clock)
                        for other in left.values():
                            if after.get(other.label) == each.label:
                                begin(other)
            except BrokenProcessPool:
                problem = "a process has ended (out of memory?); the same command goes on"
                failures |= dict.fromkeys(left, problem)
                self.progress.say(f"failed: {problem}")
        return failures


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Yield processes of one thread each, which end at once when this one does, or is interrupted."""
    others = set(active_children())
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_begin) as pool:
        try:
            yield pool
        except BaseException:  # to leave the pool would be to wait for all that it has to do
            for process in set(active_children()) - others:
                process.kill()
            raise


def _begin() -> None:
    torch.set_num_threads(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that is killed cannot tell those that work for it: they wait for its end themselves."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _bare(work: Any) -> Any:
    """Return work without what its workshops have opened: that is no luggage for another process."""
    if isinstance(work, Job):
        return replace(work, workshop=replace(work.workshop))
    return replace(work, workshops=tuple(replace(each) for each in work.workshops))


def _attempt(work: Callable[[], None]) -> str | None:
    """Do it; return in one sentence what went wrong."""
    try:
        work()
    except (RecollectError, OSError) as error:
        return str(error).splitlines()[0]
    except Exception as error:  # a mistake of ours: the other experiments can still be run
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return None
