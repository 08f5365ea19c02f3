"""Stars: small tokens with a printed picture, lying on a card, beside the cards or on the board.

A star is proposed where a card does not look like its face, or where something of a star's size lies on the bare table.
It is believed only if its own picture is seen there, turned some way; that also tells its kind. So no symbol printed on
a card is a star, and neither is a spot of glare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD
from vision.plane import Plane
from vision.tokens.flat_card import CardInView, FlatCard, largest_channel
from vision.tokens.likeness import Levels, Likeness, halvings, least_channel, windows
from vision.tokens.token_looks import TokenLooks
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_ROUGH, _FINE = 14, 24  # samples over a star's picture where it is compared, first and then
_REACH = 2  # rough samples by which a proposed place may be wrong
_PEAKS = 3  # turns that are looked at again
_NEAR = 2  # fine samples by which the first look may be wrong
_TURN = 15.0  # degrees between the likenesses of the first look
_FINER_TURNS = 4  # likenesses of the finer look between two of those
_HOPE = 0.55  # least first correlation with star and ground that is worth a finer look
_LIKE = 0.66  # least mean correlation with star and ground and with the print
_OUTLINE = 0.72  # least correlation with star and ground
_CLEAR_OUTLINE = 0.85  # ... of a star whose kind is told with doubt
_FAR_AHEAD = 0.2  # ... of one whose kind is told without any doubt, though its outline is only guessed
_LIKE_GUESSED = 0.58  # the least mean for a look that is only a guess, whose outline must be clear
_LEAST_AHEAD = 0.06  # how much more a place must look like one kind than like the other to be told at all
_AHEAD = 0.1  # ... and to be told without much doubt
_ON_BOARD = 0.82  # the same on the board, where pawns stand
_SURE = 0.75  # mean correlation that leaves no doubt that it is a star
_SIZE = (0.4, 1.7)  # area of a proposal, in areas of a star
_TABLE_SAMPLES = 10  # over a star, where the table is searched
_ODD = 20.0  # least difference from the table round about, of 255
_ODD_TIMES = 4.0  # the same, in usual differences of that table
_MOST = 8  # proposals on the table that are looked at


@dataclass(frozen=True, slots=True)
class StarReading:
    """One star: kind, middle in px, key of the card that it lies on (None: table or board), and how sure that is."""

    kind: str
    at_px: tuple[float, float]
    on: str | None
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A place that looks like a star: its kind, middle in px, how much it looks so, and how sure the kind is."""

    kind: str
    at: Array
    like: float
    sure: float


@dataclass(frozen=True, eq=False)
class StarReader:
    """Looks for the stars of one deck in pictures."""

    looks: TokenLooks

    @cached_property
    def _likenesses(self) -> tuple[Likeness, ...]:
        return tuple(Likeness.of(s.picture, np.arange(0, 360, _TURN), _ROUGH) for s in self.looks.stars)

    @cached_property
    def _finer(self) -> tuple[Likeness, ...]:
        turns = np.arange(0, 360, _TURN / _FINER_TURNS)
        return tuple(Likeness.of(s.picture, turns, _FINE) for s in self.looks.stars)

    @cached_property
    def _areas_mm2(self) -> tuple[float, float]:
        """Least and most area of a proposal."""
        areas = [float((s.picture[..., 3] > 127).mean()) * s.size_mm**2 for s in self.looks.stars]
        return _SIZE[0] * min(areas), _SIZE[1] * max(areas)

    @cached_property
    def _largest_mm(self) -> float:
        return max(s.size_mm for s in self.looks.stars)

    def find(
        self, rgb: Rgb, plane: Plane, cards: Sequence[CardInView], others: Sequence[Quad] = ()
    ) -> tuple[StarReading, ...]:
        """The stars of a picture.

        Parameters
        ----------
        rgb
            (H, W, 3) picture.
        plane
            The table's plane.
        cards
            The cards that were found.
        others
            (4, 2) px outlines of what else is printed: the board.

        Returns
        -------
        tuple of StarReading
            At most one a kind. What looks like a star but not like one of the deck is left out.
        """
        if not self.looks.stars:
            return ()
        levels = halvings(least_channel(rgb))
        flat = [v for c in cards if (v := FlatCard.of(rgb, c, self.looks)) is not None]
        places: list[Array] = []
        for card in flat:
            places += card.spots([v.quad for v in flat if v is not card], *self._areas_mm2)
        places += self._on_the_table(rgb, plane, [np.asarray(c.quad_px, float) for c in cards], others)
        for board in (CardInView(BOARD, BOARD, q) for q in others if BOARD in self.looks.faces):
            if (laid := FlatCard.of(rgb, board, self.looks)) is not None:
                places += laid.spots([v.quad for v in flat], *self._areas_mm2)
        if not places:
            return ()
        near = _per_mm(plane, np.array(places))
        found = [f for at, m in zip(places, near, strict=True) if (f := self._look(levels, at, m)) is not None]
        # a dark pawn on pale paper may look a little like print on silver
        found = [f for f in found if f.like >= _ON_BOARD or not any(_inside(q, f.at) for q in others)]
        best: dict[str, StarReading] = {}
        for f in sorted(found, key=lambda f: -f.like):
            apart = 0.5 * self._largest_mm * plane.px_per_mm(plane.unproject(f.at)[0])
            if f.kind not in best and all(np.linalg.norm(f.at - b.at_px) >= apart for b in best.values()):
                on, certain = _below(f.at, flat, 0.54 * self._largest_mm)
                sure = f.sure * certain * min(1.0, f.like / _SURE)
                best[f.kind] = StarReading(f.kind, (float(f.at[0]), float(f.at[1])), on, sure)
        return tuple(best.values())

    def _look(self, levels: Levels, at_px: Array, per_mm: Array) -> _Found | None:
        """Compare a place with the stars; over a star the picture is as good as flat, `per_mm` tells how it lies."""
        found: list[tuple[float, float, Array]] = []  # how much it looks so, its outline alone, the middle
        for look, rough, finer in zip(self.looks.stars, self._likenesses, self._finer, strict=True):
            step = per_mm * look.size_mm / _ROUGH
            patches, columns = windows(levels, at_px, step, rough.side, _REACH)
            alike, inner = rough.compare(patches)
            best = (0.0, 0.0, at_px)
            for i, turn in _peaks(np.where(alike >= _HOPE, alike + inner, 0.0)):
                # a star turned by a point looks much like itself, so several turns are looked at again
                near = at_px + step @ (np.array([i % columns, i // columns]) - _REACH)
                fine = finer.around(turn * _FINER_TURNS, _FINER_TURNS)
                small = per_mm * look.size_mm / _FINE
                patches, across = windows(levels, near, small, fine.side, _NEAR)
                alike, inner = fine.compare(patches)
                j, turn = (int(v) for v in np.unravel_index(int((alike + inner).argmax()), alike.shape))
                like = float(alike[j, turn] + inner[j, turn]) / 2
                if like > best[0]:
                    best = like, float(alike[j, turn]), near + small @ (np.array([j % across, j // across]) - _NEAR)
                if alike.max() < _OUTLINE - 0.1:  # no outline of a star, whichever way it is turned
                    break
            found.append(best)
        k = max(range(len(found)), key=lambda i: found[i][0])
        like, outline, at = found[k]
        star = self.looks.stars[k]
        ahead = like - max(
            (f[0] for f, s in zip(found, self.looks.stars, strict=True) if s.kind != star.kind), default=0
        )
        plain = ahead >= (_FAR_AHEAD if star.guessed else _AHEAD) and like >= _LIKE
        clear = _OUTLINE if plain else _CLEAR_OUTLINE
        if like < (_LIKE_GUESSED if star.guessed else _LIKE) or outline < clear or ahead < _LEAST_AHEAD:
            return None
        return _Found(star.kind, at, like, 1 - 0.5 * float(np.exp(-ahead / _AHEAD)))

    def _on_the_table(self, rgb: Rgb, plane: Plane, cards: Sequence[Quad], others: Sequence[Quad]) -> list[Array]:
        """Middles in px of spots of a star's size that differ from the bare table round them, clearest first."""
        h, w = rgb.shape[:2]
        taken = [*cards, *others]
        middle = np.mean([q.mean(0) for q in taken], axis=0) if taken else np.array([w / 2, h / 2])
        usual = plane.px_per_mm(plane.unproject(middle)[0])
        scale = min(1.0, _TABLE_SAMPLES / max(self._largest_mm * usual, 1.0))
        small = np.asarray(cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        bare = np.ones(small.shape[:2], np.uint8)
        for quad in taken:
            wide = quad.mean(0) + (quad - quad.mean(0)) * 1.03
            cv2.fillConvexPoly(bare, ((wide + 0.5) * scale - 0.5).round().astype(np.int32), 0)
        if not bare.any():
            return []
        filled = _filled(small, bare)
        differs = largest_channel(cv2.absdiff(filled, cv2.medianBlur(filled, (2 * _TABLE_SAMPLES) | 1)))
        limit = max(_ODD, _ODD_TIMES * float(np.median(differs[bare > 0])))
        odd = np.asarray((differs > limit) & (bare > 0), np.uint8)
        spots = cv2.morphologyEx(odd, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        _, label, stats, middles = cv2.connectedComponentsWithStats(spots)
        least, most = self._areas_mm2
        area = stats[1:, cv2.CC_STAT_AREA] / (usual * scale) ** 2
        # the scale varies over a tilted table, but not without end
        out: list[tuple[float, Array]] = []
        for i in np.nonzero((area > least / 5) & (area < most * 5))[0] + 1:
            at = (middles[i] + 0.5) / scale - 0.5
            per_mm = plane.px_per_mm(plane.unproject(at)[0]) * scale
            size = stats[i, cv2.CC_STAT_AREA] / per_mm**2
            long = max(stats[i, cv2.CC_STAT_WIDTH], stats[i, cv2.CC_STAT_HEIGHT]) / per_mm
            if least <= size <= most and long <= 1.5 * self._largest_mm:
                out.append((float(differs[label == i].mean()), at))
        return [at for _, at in sorted(out, key=lambda v: -v[0])[:_MOST]]


def _peaks(fit: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Rows and columns (turns) of the largest fits above 0, the turns well apart from each other."""
    left, out = fit.max(0), []
    for _ in range(_PEAKS):
        turn = int(left.argmax())
        if left[turn] <= 0:
            break
        out.append((int(fit[:, turn].argmax()), turn))
        left[np.arange(turn - 2, turn + 3) % len(left)] = 0
    return out


def _filled(small: Rgb, bare: NDArray[np.uint8]) -> Rgb:
    """The picture with what is not bare filled from the bare table round it."""
    reach = (3 * _TABLE_SAMPLES) | 1
    weight = cv2.blur(bare.astype(np.float32), (reach, reach))
    around = cv2.blur(small.astype(np.float32) * bare[..., None], (reach, reach))
    return np.where(bare[..., None] > 0, small, around / np.maximum(weight, 0.02)[..., None]).astype(np.uint8)


def _per_mm(plane: Plane, places_px: Array) -> Array:
    """(n, 2, 2) px for a millimetre to the right and one down on the plane, as columns, at each place (n, 2) px."""
    at = plane.unproject(places_px)
    here, right, down = plane.project(np.concatenate([at, at + [1, 0], at + [0, 1]])).reshape(3, -1, 2)
    return np.stack([right - here, down - here], 2)


def _inside(quad: Quad, at: Array) -> bool:
    return cv2.pointPolygonTest(np.asarray(quad, np.float32), (float(at[0]), float(at[1])), False) >= 0


def _below(at: Array, cards: Sequence[FlatCard], radius_mm: float) -> tuple[str | None, float]:
    """The card that a place lies on, and how sure that is: of several the one that is seen round the place."""
    found = sorted((m, v.key) for v in cards if (m := v.misfit(at, radius_mm)) is not None)
    if not found:
        return None, 1.0
    if len(found) > 1 and found[1][0] < 1.5 * found[0][0]:
        return found[0][1], 0.5
    return found[0][1], 1.0
