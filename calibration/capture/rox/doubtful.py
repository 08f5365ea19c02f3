"""Symbols round the edges of cards, and stones, that are not clearly of one kind, cut out to be looked at together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.deck import CENTER, Sign
from calibration.capture.rox.ring import Ring

_MANY = 0.5  # share of a card's symbols: with more doubtful ones it is the card that is in doubt
_AROUND = 1.2  # of a symbol's reach: how far from its middle is shown
_SIDE = 240  # pixels of a stone's picture, at most


def doubtful_signs(
    ring: Ring,
    seen: Sequence[int],
    kinds: Sequence[str],
    doubtful: NDArray[np.bool_],
    pictures: Mapping[int, NDArray[Any]],
) -> tuple[Sign, ...]:
    """The doubtful symbols of a face; none where it is doubtful as a whole.

    Parameters
    ----------
    ring
        The symbols of all cards.
    seen
        Numbers of the cards that show the face.
    kinds, doubtful
        (16,) what each symbol was read as, and whether it is shown.
    pictures
        Upright picture of each card by its number, all of one size.
    """
    doubt = {i: ring.upright(i)[1] for i in seen}
    out: list[Sign] = []
    if doubtful.mean() > _MANY:
        return ()
    for n in np.nonzero(doubtful)[0].tolist():
        picture = pictures[min(seen, key=lambda i: float(doubt[i][n]))]
        larger = picture.shape[1] / ring.evened.shape[2]
        x, y = ((ring.places[n] + 0.5) * larger - 0.5).tolist()
        side = 2 * round(_AROUND * ring.radius * larger) + 1
        cut = cv2.getRectSubPix(np.asarray(picture, np.float32), (side, side), (x, y))
        out.append(Sign(kinds[n], np.clip(np.round(cut), 0, 255).astype(np.uint8)))
    return tuple(out)


def doubtful_stone(ring: Ring, kind: str, picture: NDArray[Any]) -> Sign:
    """The doubtful stone of a face, read as `kind`: what the symbols of its upright picture enclose."""
    larger = picture.shape[1] / ring.evened.shape[2]
    x0, y0 = np.round((ring.places.min(0) + ring.radius) * larger).astype(int)
    x1, y1 = np.round((ring.places.max(0) - ring.radius) * larger).astype(int)
    side = _SIDE / max(x1 - x0 + 1, y1 - y0 + 1)
    cut = np.asarray(picture, np.float32)[y0 : y1 + 1, x0 : x1 + 1]
    if side < 1:
        cut = np.asarray(cv2.resize(cut, None, fx=side, fy=side, interpolation=cv2.INTER_AREA), np.float32)
    return Sign(kind, np.clip(np.round(cut), 0, 255).astype(np.uint8), CENTER)
