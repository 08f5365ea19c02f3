"""Property tests of this room repeat exactly and have no deadline: a busy machine is no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("scoring", deadline=None, derandomize=True, database=None, max_examples=100)
settings.load_profile("scoring")
