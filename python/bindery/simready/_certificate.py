from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Certified:
    """How an asset behaved. ``status`` is ``pass``, ``fail``, or ``skip`` for what is not simulated."""

    status: str
    message: str
    mujoco: str = ""
    metrics: dict[str, Any] = field(default_factory=dict)


def certify(program: str, asset: str, timeout: float) -> Certified:
    """Simulates the asset that a file in USD opens, with the folder that it is in. Raises nothing: what fails is the message."""
    with tempfile.TemporaryDirectory(prefix="bindery-certify-") as folder:
        copied = shutil.copytree(os.path.dirname(asset), os.path.join(folder, "asset"))
        words = [program, "library", "check", copied, "--simulate", "--json"]
        try:
            ended = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
            report = json.loads(ended.stdout)
        except subprocess.TimeoutExpired:
            return Certified("fail", f"It was not simulated in {timeout} s.")
        except ValueError:
            return Certified("fail", ended.stderr[-1_000:] or "The program said nothing.")
    name = os.path.basename(asset)
    errors = [problem for problem in report["problems"] if problem["severity"] == "error"]
    message = "; ".join(f"{problem['code']}: {problem['message']}" for problem in errors)
    runs = [run for run in report.get("simulations", []) if os.path.basename(run["file"]) == name]
    if not runs:
        return Certified("fail", message) if errors else Certified("skip", "There is nothing to simulate in it.")
    run = runs[0]
    metrics: dict[str, Any] = {
        "problems": {"value": [problem["code"] for problem in report["problems"]], "unit": None},
        **{
            f"{trial}_{what}": {"value": value, "unit": unit}
            for trial in ("rest", "control")
            for what, value, unit in _metrics_of(run.get(trial))
        },
    }
    return Certified("fail" if errors else "pass", message, run["mujoco"], metrics)


def _metrics_of(course: dict[str, Any] | None) -> list[tuple[str, float, str | None]]:
    if course is None:
        return []
    energy = course["energy"] or [0.0]
    return [
        ("simulated", course["seconds"], "s"),
        ("energy_at_end", energy[-1], "J"),
        ("contacts", course["contacts"], None),
    ]
