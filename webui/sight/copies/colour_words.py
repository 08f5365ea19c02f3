"""Plain words for measured colours, so that a person need only confirm what the colours of a copy are called."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

_WORDS = {
    "red": ("#d02020", "#a81818", "#e04848"),
    "orange": ("#f08020", "#e06a10"),
    "yellow": ("#f5cc20", "#e8b810", "#f8e060"),
    "green": ("#2f8f3a", "#5fae4a", "#1d6a2c"),
    "turquoise": ("#20a8a8", "#2bb5ad", "#4cc4c0"),
    "blue": ("#2458b0", "#3a7fd0", "#1c3c88"),
    "purple": ("#6a3a8c", "#50288a", "#471a52"),
    "pink": ("#e98bab", "#e05a90", "#f4b4c8"),
    "brown": ("#7a4a28", "#9a6a40", "#5a3418"),
    "cream": ("#efe5cf", "#faf4e6", "#e6d8b8"),
    "white": ("#f8f8f8",),
    "grey": ("#909090", "#b8b8b8", "#606060"),
    "black": ("#181818", "#303030"),
}


def colour_words(colours: Mapping[str, str]) -> dict[str, str]:
    """A word for each colour (``#rrggbb`` by name), no word twice; the words that fit all of them best."""
    if not colours or len(colours) > len(_WORDS):
        return {}
    seen = _lab(tuple(colours.values()))
    cost = np.array([[np.linalg.norm(_lab(shades) - one, axis=1).min() for shades in _WORDS.values()] for one in seen])
    rows, columns = linear_sum_assignment(cost)
    words = tuple(_WORDS)
    return {tuple(colours)[r]: words[c] for r, c in zip(rows, columns, strict=True)}


def _lab(shades: tuple[str, ...]) -> NDArray[np.float32]:
    rgb = np.array([[int(s[i : i + 2], 16) for i in (1, 3, 5)] for s in shades], np.float32)[None] / 255
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2Lab)[0], np.float32)
