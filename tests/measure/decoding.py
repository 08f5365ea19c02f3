"""What times are measured against: decoding the same photo."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import cv2
import numpy as np


def decode_s(photo: Path) -> float:
    """Seconds of processor time that one decoding of a photo takes."""
    data = np.frombuffer(photo.read_bytes(), np.uint8)
    times = []
    for _ in range(5):
        began = time.process_time()
        cv2.imdecode(data, cv2.IMREAD_COLOR)
        times.append(time.process_time() - began)
    return statistics.median(times)
