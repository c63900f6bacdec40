"""Processes several files at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from ._http import Http
from ._manifest import WantedFile

WORKERS = 16


def for_each_file(files: Sequence[WantedFile], work: Callable[[WantedFile], None], http: Http | None) -> None:
    """Processes every file. The first failure stops all work, including the requests of `http`."""
    with ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(work, file) for file in files]
        try:
            done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
            for job in jobs:
                if job in done:
                    job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            if http is not None:
                http.stop()
            raise
