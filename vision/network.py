"""A trained network, opened once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import onnxruntime


@lru_cache(maxsize=4)
def session(path: Path, threads: int = 0) -> onnxruntime.InferenceSession:
    """The network of a file, to be run by so many threads; 0: as many as there are cores."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # pictures come in many sizes, and the arena would keep memory for every one of them
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
