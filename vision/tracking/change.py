"""What changed between two settled pictures, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Quad

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Region:
    """One connected part of the picture that changed.

    Parameters
    ----------
    box_px
        Left, top, right and bottom in pixels of the frame.
    at_border
        True where it reaches the edge of the picture, as an arm does.
    """

    box_px: tuple[int, int, int, int]
    at_border: bool


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What changed between two settled pictures.

    Parameters
    ----------
    labels
        (h, w) small picture: 0 unchanged, n + 1 where `regions[n]` is.
    scale
        Pixels of the frame for one of `labels`.
    regions
        The changed parts; empty where the table is as it was.
    whole_px
        (3, 3) how the whole picture moved, from pixels of the frame before to those of the present one; None where the
        camera stands still.
    reaching
        (h, w) what belongs to regions at the border, with their surroundings; None where there are none.
    """

    labels: NDArray[np.int32]
    scale: tuple[float, float]
    regions: tuple[Region, ...]
    whole_px: NDArray[np.float64] | None = None
    reaching: Mask | None = None

    def __bool__(self) -> bool:
        return bool(self.regions)

    def share(self, quad_px: Quad, *, at_border: bool | None = None, without: Sequence[Quad] = ()) -> float:
        """Share of a quad's area that changed, 0 to 1.

        Parameters
        ----------
        quad_px
            The outline to look at.
        at_border
            Count only regions that reach the border, or only those that do not.
        without
            Outlines that are left out: what lies above.
        """
        inside = self._inside(quad_px)
        for other in without:
            inside &= ~self._inside(other)
        whole = int(inside.sum())
        return float((self._of(at_border) & inside).sum()) / whole if whole else 0.0

    def explained(self, quad_px: Quad, by: Sequence[Quad] = ()) -> float:
        """Share of the regions that meet a quad which lies within it, 0 to 1; 1 where none meets it.

        With `by` the share that lies within the quad or within one of those outlines.
        """
        inside = self._inside(quad_px)
        met = np.unique(self.labels[inside])
        region = np.isin(self.labels, met[met > 0])
        for other in by:
            inside |= self._inside(other)
        whole = int(region.sum())
        return float((region & inside).sum()) / whole if whole else 1.0

    def _of(self, at_border: bool | None) -> Mask:
        if at_border is None:
            return self.labels > 0
        wanted = [n + 1 for n, region in enumerate(self.regions) if region.at_border == at_border]
        return np.isin(self.labels, wanted)

    def _inside(self, quad_px: Quad) -> Mask:
        canvas = np.zeros(self.labels.shape, np.uint8)
        cv2.fillConvexPoly(canvas, small_corners(quad_px, self.scale), 1)
        return canvas > 0


def small_corners(quad_px: Quad, scale: tuple[float, float]) -> NDArray[np.int32]:
    """(4, 2) corners in pixels of the small picture, rounded."""
    # Pixel centres are whole numbers in both pictures.
    corners = (np.asarray(quad_px) + 0.5) / np.asarray(scale) - 0.5
    return np.asarray(np.round(np.clip(corners, -1e4, 1e4)), np.int32)


def find_regions(
    changed: Mask,
    loose: Mask,
    scale: tuple[float, float],
    size: tuple[int, int],
    area: float,
) -> Change:
    """Tell the changed parts of a picture apart.

    Parameters
    ----------
    changed
        (h, w) what certainly changed.
    loose
        (h, w) what may have changed as well; parts that hang together by it are one region, as the parts of an arm.
    scale, size
        See `Change`; `size` is the frame's width and height.
    area
        Regions in which less than this fraction of the picture changed are dropped.
    """
    count, labels = cv2.connectedComponents((loose | changed).astype(np.uint8), connectivity=8)
    tight = np.where(changed, labels, 0)
    h, w = changed.shape
    numbers = np.zeros(count, np.int32)
    regions: list[Region] = []
    at_border = np.zeros(count, np.bool_)
    sizes = np.bincount(tight.ravel(), minlength=count)
    for n in range(1, count):
        if sizes[n] < area * changed.size / 2:
            continue
        ys, xs = np.nonzero(tight == n)
        x0, y0, x1, y1 = int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1
        # One small pixel around: its edge lies somewhere within the block.
        box = (
            max(0, int((x0 - 1) * scale[0])),
            max(0, int((y0 - 1) * scale[1])),
            min(size[0], int(np.ceil((x1 + 1) * scale[0]))),
            min(size[1], int(np.ceil((y1 + 1) * scale[1]))),
        )
        at_border[n] = x0 <= 1 or y0 <= 1 or x1 >= w - 1 or y1 >= h - 1
        regions.append(Region(box, bool(at_border[n])))
        numbers[n] = len(regions)
    reaching = at_border[labels] if at_border.any() else None
    return Change(numbers[tight], scale, tuple(regions), reaching=reaching)
