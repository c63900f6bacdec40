"""The certificate of Bindery as a test. Only its own engine runs it, and does so without calling it."""

from __future__ import annotations

from typing import Any

from simready_benchmark import test


@test(  # type: ignore[misc]
    features=[
        {"id": name, "version": ">=0.1.0"}
        for name in ("FET_004_STANDARD", "FET_004_MUJOCO", "FET_004_ROBOT_MUJOCO")
    ],
    name="bindery_certificate",
    description="The asset rests under gravity and moves under random control in MuJoCo, and stays whole.",
    expected_video="None: the certificate is a table of energies, contacts and problems.",
    version="1.0.0",
    engine={"tags": ["bindery"]},
    max_duration=600,
)
async def bindery_certificate(context: Any) -> None:
    context.skip("The engine of Bindery runs this test.")
