"""Executors that grade submissions: threads on this machine, or a Dask cluster.

Submissions and outcomes travel as bytes, so no folder is shared.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from .files import Problem
from .folder import version
from .job import Job, Outcome, grade_one, prepare
from .problem import problem
from .processes import descendants
from .reading import UnreadableSubmission, read
from .settings import Settings

AHEAD = 2  # submissions queued for each thread
TIMEOUT = "10s"


class Pool(NamedTuple):
    """An executor, and how many submissions it should hold at a time."""

    executor: Executor
    width: Callable[[], int]


def outcomes(pool: Pool, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Job, Outcome | Exception]]:
    """(fingerprint, job, outcome or exception), in the order in which jobs finish."""
    jobs, waiting, tried = iter(jobs), {}, set()
    while True:
        while len(waiting) < pool.width() and (job := next(jobs, None)):
            waiting[pool.executor.submit(grade_one, job[1])] = job
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            job, outcome = waiting.pop(future), result(future)
            if should_retry(job[1], outcome) and job[1].student not in tried:
                tried.add(job[1].student)
                waiting[pool.executor.submit(grade_one, job[1])] = job
            else:
                yield *job, outcome


def should_retry(job: Job, outcome: Outcome | Exception) -> bool:
    """True if grading a readable notebook failed, which may be a temporary failure of the machine."""
    try:
        return isinstance(outcome, Outcome) and not outcome.graded and bool(read(job.submission or b""))
    except UnreadableSubmission:
        return False


def result(future: Future) -> Outcome | Exception:
    """The outcome of a job, or the exception."""
    if future.cancelled():
        return RuntimeError("the scheduler gave it up")
    error = future.exception()
    if type(error).__name__ == "KilledWorker":  # Dask's, imported only when it is used
        return RuntimeError("every worker that graded it died")
    return error or future.result()


# ── This machine ──────────────────────────────────────────────────────────────────────────────────────────────────────


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads(ThreadPoolExecutor):
    """A thread pool that keeps its futures."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.given: list[Future] = []

    def submit(self, *arguments: object) -> Future:
        self.given.append(super().submit(*arguments))
        return self.given[-1]


@contextlib.contextmanager
def local(width: int, source: bytes, settings: Settings) -> Iterator[Pool]:
    """Threads, each of which waits for a worker process.

    When the run is interrupted, the worker processes are killed, so that no thread waits for a submission.
    Raises Problem if the sandbox cannot start, or the solutions cannot be graded.
    """
    if why := problem(settings.sandbox):
        raise Problem(why)
    try:
        prepare(source, settings)
    except RuntimeError as error:
        raise Problem(str(error)) from None
    before, executor = set(descendants(os.getpid())), Threads(width)
    try:
        yield Pool(executor, lambda: AHEAD * width)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        while running := [future for future in executor.given if not future.done()]:
            wait(running, timeout=0.1)
            for process in set(descendants(os.getpid())) - before:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
        raise
    finally:
        executor.shutdown()


# ── A cluster ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def cluster(address: str, source: bytes, settings: Settings) -> Iterator[Pool]:
    """The workers of a Dask scheduler. When a worker dies, the scheduler gives its submissions to another one.

    Each thread gets one submission at a time, since Dask also blames those that wait on a worker that dies.
    Raises Problem if the scheduler cannot be reached, has no workers, or its workers cannot grade.
    """
    from distributed import Client

    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise Problem(f"SCHEDULER={address} cannot be reached: {error}") from None
    with client:
        check_workers(client, address, source, settings)
        executor = client.get_executor(pure=False)
        try:
            yield Pool(executor, lambda: max(1, sum(client.nthreads().values())))
        finally:
            executor.shutdown(wait=False)  # cancels the remaining jobs


def check_workers(client, address: str, source: bytes, settings: Settings) -> None:
    """Raise Problem unless all workers have this version of the course and a sandbox."""
    ours = version(source, settings)
    try:
        versions = client.run(version, source, settings)
        problems = client.run(problem, settings.sandbox)
    except Exception as error:
        raise Problem(f"The workers of {address} cannot grade: is the course installed there? ({error})") from None
    if not versions:
        raise Problem(f"The scheduler {address} has no workers: start some, as in: dask worker {address}")
    if others := sorted(name for name, found in versions.items() if found != ours):
        raise Problem(f"These workers have other checks than this machine, update them: {', '.join(others)}")
    if why := next(filter(None, problems.values()), None):
        raise Problem(f"On a worker of {address}: {why}")
