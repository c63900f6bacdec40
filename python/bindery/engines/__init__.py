"""Runs the trials of a robot's certificate in other physics engines, each in a process of its own: `python -m bindery.engines`."""

__all__: list[str] = []
