"""The playing area from pictures of one size to those of another."""

from __future__ import annotations

from scoring.table import Point


def rescaled(
    area: tuple[Point, ...], drawn: tuple[float, float], size: tuple[float, float]
) -> tuple[Point, ...] | None:
    """An area in pixels of pictures of another size; None where they have another shape.

    Parameters
    ----------
    area
        Its corners in px.
    drawn, size
        Width and height of the pictures on which it was drawn, and of the others, in px.
    """
    if size[0] * drawn[1] != size[1] * drawn[0]:
        return None
    return tuple((x * size[0] / drawn[0], y * size[0] / drawn[0]) for x, y in area)
