"""Certificates as runs of NVIDIA's ``simready-benchmark``: an engine and a test, found by its entry points."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

from simready_benchmark.core.asset_key import asset_rel_key
from simready_benchmark.core.json_safe import atomic_write_json
from simready_benchmark.core.models import load_plan
from simready_benchmark.core.output_layout import per_test_runtime_dir
from simready_benchmark.engines.base import EngineConfig, EnginePlugin, EngineSession, ValidationResult
from simready_benchmark.runner.work_pool import WorkPool

from ._certificate import certify

__all__ = ["BinderyEngine"]

#: What a test asks for that only this engine runs.
TAG = "bindery"
#: Seconds between looks for work; other engines may return some.
POLL = 1.0


class BinderyEngine(EnginePlugin):  # type: ignore[misc]
    """Simulates assets with the command line of Bindery, which has to be in ``PATH``, or named by ``BINDERY_PROGRAM``."""

    def name(self) -> str:
        return TAG

    def tags(self) -> list[str]:
        return [TAG]

    def discover(self) -> list[EngineConfig]:
        program = os.environ.get("BINDERY_PROGRAM") or shutil.which("bindery")
        return [EngineConfig(TAG, program, "1", [TAG])] if program else []

    def validate(self, engine_config: EngineConfig) -> ValidationResult:
        program = engine_config.executable_path
        return ValidationResult(os.access(program, os.X_OK), f"There is no program {program}.")

    async def start_session(
        self, engine_config: EngineConfig, work_dir: str, log_file: str, session_env: dict[str, str] | None = None
    ) -> EngineSession:
        session = _Session(engine_config, session_env or {}, Path(log_file))
        session.start()
        return session

    async def stop_session(self, session: EngineSession) -> None:
        await session.cleanup()


class _Session(EngineSession, threading.Thread):  # type: ignore[misc]
    """Takes tests from the pool of a run until it is stopped. Each simulation is a process of its own."""

    def __init__(self, config: EngineConfig, environment: dict[str, str], log: Path) -> None:
        threading.Thread.__init__(self, daemon=True)
        self._config = config
        self._environment = environment
        self._log = log
        self._id = f"{TAG}_{os.getpid()}_{id(self)}"
        self._stopped = threading.Event()

    def is_alive(self) -> bool:
        return threading.Thread.is_alive(self)

    def get_session_id(self) -> str:
        return self._id

    async def cleanup(self) -> None:
        self._stopped.set()
        await asyncio.get_running_loop().run_in_executor(None, self.join)

    def run(self) -> None:
        pool = WorkPool(self._environment["SIMREADY_WORK_POOL"])
        plan = load_plan(self._environment["SIMREADY_PLAN_PATH"])
        tests = {test.id: test for test in plan.tests}
        while not self._stopped.is_set():
            item = pool.claim_asset(self._id, self._config.tags, plan)
            if item is None:
                self._stopped.wait(POLL)
                continue
            while not self._stopped.is_set() and (entry := pool.claim_test(item.id, self._id)) is not None:
                result = self._certify(item.asset, tests[entry.test_id], plan.content_root)
                pool.complete_test(item.id, entry.test_id, result)
            pool.release_asset(item.id, self._id)

    def _certify(self, asset: str, test: Any, content_root: str) -> dict[str, Any]:
        since = time.monotonic()
        found = certify(self._config.executable_path, asset, timeout=test.max_duration)
        with self._log.open("a", encoding="utf-8") as log:
            print(f"{asset}: {found.status} {found.message}", file=log)
        result = {"status": found.status, "duration": time.monotonic() - since}
        key = asset_rel_key(asset, content_root)
        folder = per_test_runtime_dir(self._environment["SIMREADY_OUTPUT_DIR"], key, test.name)
        os.makedirs(folder, exist_ok=True)
        written = {
            "test_name": test.name,
            "asset": key,
            "session_id": self._id,
            "engine": TAG,
            "engine_version": found.mujoco,
            "message": found.message,
            "metrics": found.metrics,
        }
        atomic_write_json(os.path.join(folder, "result.json"), {**written, **result})
        return result
