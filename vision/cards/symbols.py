"""A second opinion on a Rox card: its edge symbols, read one by one from the picture.

Where the symbols sit and what they look like is learned from the deck's own faces: a slot is a place on which the faces
differ, and which symbol a face has in which slot follows from the counts in the deck, by turns of estimating what the
symbols look like and handing them out so that every face's counts come out right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.deck import LookSet

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_CONSISTENT = 0.97  # share of the deck's own symbols that must be read back right, or there is no second opinion
_CLEAR = 1.6  # how much worse the claimed symbol must fit than another before that counts as a contradiction


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """The symbols of one card as read.

    Parameters
    ----------
    read
        Number of slots that could be read.
    agree, disagree
        How many of them clearly show the claimed face's symbol, and how many clearly another.
    counts
        Element to count over the readable slots, whatever face was claimed.
    """

    read: int
    agree: int
    disagree: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class SymbolReader:
    """Slots and symbols of one deck.

    Parameters
    ----------
    elements
        Names, in the order of the templates.
    slots
        (k, 2) row and column of each slot on the fine grid.
    radius
        Half the width of a slot in samples.
    templates
        (k, elements, d) look of each element in each slot.
    holds
        (faces, k) which element each face has in each slot; -1 for looks without symbols.
    """

    elements: tuple[str, ...]
    slots: NDArray[np.intp]
    radius: int
    templates: Floats
    holds: NDArray[np.intp]

    def read(self, patch: Floats, mask: Floats, look: int) -> Opinion:
        """Compare the slots of an aligned patch, in the deck's own light, with what face number `look` should show."""
        vectors = _vectors(patch[None], self.slots, self.radius)[0]
        seen = np.array([mask[r, c] > 0.5 for r, c in self.slots])
        error = ((vectors[:, None, :] - self.templates) ** 2).mean(2) + 30.0
        best = error.argmin(1)
        claimed = self.holds[look]
        counts: dict[str, int] = {}
        agree = disagree = 0
        for k in np.nonzero(seen)[0]:
            counts[self.elements[best[k]]] = counts.get(self.elements[best[k]], 0) + 1
            if claimed[k] < 0:
                continue
            own = error[k, claimed[k]]
            other = np.delete(error[k], claimed[k]).min()
            agree += bool(own < other)
            disagree += bool(own > _CLEAR * other)
        return Opinion(int(seen.sum()), agree, disagree, counts)


def _vectors(stack: Floats, slots: NDArray[np.intp], radius: int) -> Floats:
    """(m, k, d) samples round each slot."""
    pad = np.pad(stack, ((0, 0), (radius, radius), (radius, radius), (0, 0)), mode="edge")
    out = [pad[:, r : r + 2 * radius + 1, c : c + 2 * radius + 1].reshape(len(stack), -1) for r, c in slots]
    return np.stack(out, 1)


@lru_cache(maxsize=16)
def symbol_reader(looks: LookSet) -> SymbolReader | None:
    """Learn where the edge symbols are and what they look like; None for decks whose symbols keep no places."""
    elements = looks.elements
    which = [i for i, v in enumerate(looks.looks) if v.kind == "face" and v.edge]
    if len(which) < 3 * max(1, len(elements)):
        return None
    totals = {sum(looks.looks[i].edge.values()) for i in which}
    if len(totals) != 1:
        return None
    k = totals.pop()
    stack = np.stack([np.asarray(cv2.GaussianBlur(looks.looks[i].fine, (0, 0), 0.5), np.float32) for i in which])
    counts = np.array([[looks.looks[i].edge.get(e, 0) for e in elements] for i in which])
    best: tuple[float, SymbolReader] | None = None
    for sigma in (1.2, 1.7, 2.3, 3.0):
        slots = _slots(stack, k, sigma)
        if slots is None:
            continue
        radius = max(1, round(1.3 * sigma))
        vectors = _vectors(stack, slots, radius)
        holds, templates = _hand_out(vectors, counts)
        if holds is None or templates is None:
            continue
        error = ((vectors[:, :, None, :] - templates[None]) ** 2).mean(3)
        right = float((error.argmin(2) == holds).mean())
        if best is None or right > best[0]:
            full = np.full((len(looks.looks), k), -1)
            full[which] = holds
            best = (right, SymbolReader(elements, slots, radius, templates, full))
    return best[1] if best is not None and best[0] >= _CONSISTENT else None


def _slots(stack: Floats, k: int, sigma: float) -> NDArray[np.intp] | None:
    """(k, 2) places towards the rim where the faces differ most."""
    spread = np.asarray(cv2.GaussianBlur(stack.var(0).sum(2), (0, 0), sigma), np.float32)
    size = 2 * round(1.2 * sigma) + 1
    top = (spread >= cv2.dilate(spread, np.ones((size, size), np.uint8))) & (spread > 0.15 * np.percentile(spread, 98))
    rows, columns = np.nonzero(top)
    if len(rows) < k:
        return None
    h, w = spread.shape
    # the ring lies outside the stone: keep the k places farthest out, measured against the nearest side
    inset = np.minimum(np.minimum(rows + 0.5, h - rows - 0.5), np.minimum(columns + 0.5, w - columns - 0.5))
    order = np.argsort(inset - 1e-4 * spread[rows, columns] / spread.max())[:k]
    return np.stack([rows[order], columns[order]], 1)


def _hand_out(vectors: Floats, counts: NDArray[np.intp]) -> tuple[NDArray[np.intp] | None, Floats | None]:
    """Which element is in which slot of which face, given each face's counts: (faces, k) and (k, elements, d)."""
    faces, k, _ = vectors.shape
    elements = counts.shape[1]
    # start: the sum of all slots is the counts times what one symbol of each kind looks like, slot by slot offset apart
    centred = vectors - vectors.mean(0, keepdims=True)
    share = counts - counts.mean(0, keepdims=True)
    look, *_ = np.linalg.lstsq(np.c_[share], centred.sum(1), rcond=None)
    templates = vectors.mean(0)[:, None, :] + look[None]
    holds = np.zeros((faces, k), np.intp)
    for _ in range(6):
        error = ((vectors[:, :, None, :] - templates[None]) ** 2).mean(3)
        before = holds.copy()
        for f in range(faces):
            seats = np.repeat(np.arange(elements), counts[f])
            if len(seats) != k:
                return None, None
            rows, columns = linear_sum_assignment(error[f][:, seats])
            holds[f, rows] = seats[columns]
        overall = np.stack(
            [vectors[holds == e].mean(0) if (holds == e).any() else templates[:, e].mean(0) for e in range(elements)]
        )
        for e in range(elements):
            for s in range(k):
                mine = holds[:, s] == e
                n = int(mine.sum())
                mean = vectors[mine, s].mean(0) if n else overall[e]
                templates[s, e] = (n * mean + 2 * overall[e]) / (n + 2)
        if (holds == before).all():
            break
    return holds, np.asarray(templates, np.float32)
