"""A card laid onto its edges, and the faces of the deck held against it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scoring.table import Pose
from vision.cards.contour import Fit
from vision.cards.edges import EdgeModel, outline_edges, printed_edges
from vision.cards.face_bank import Floats, face_bank
from vision.cards.faces import compare
from vision.cards.quads import overlap
from vision.cards.rectify import Pyramid, face_to_px
from vision.deck import LookSet
from vision.plane import Plane
from vision.types import Quad, Reading

Array = NDArray[np.float64]

_NAMED = 0.62  # unexplained share at which a face is as likely as not
_NAMED_WIDTH = 0.035
_SHARP = 40.0  # largest weight of a difference between two faces
_SAME = 0.4  # overlap (IoU) from which two outlines are one card


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A card on its edges, with the faces held against it.

    Parameters
    ----------
    fit
        Where it lies; the direction is that of the likeliest face.
    look
        Number of the likeliest face in its set.
    left
        What that face leaves unexplained, 0 to 1.
    readings
        Faces and their probabilities, likeliest first.
    visible
        Share that the network saw, or 1 where it was found by its colour.
    """

    looks: LookSet
    fit: Fit
    look: int
    left: float
    readings: tuple[Reading, ...]
    visible: float

    @property
    def belongs(self) -> float:
        """Probability that this is a card of the deck at all."""
        return belonging(self.left)

    def quad(self, plane: Plane) -> Quad:
        """(4, 2) corners in px, printed order."""
        return plane.quad_of(pose_of(self.fit.pose), self.looks.size_mm)

    def moved(self, before: Plane, after: Plane) -> Laid:
        """The same card at the same place of the picture, on another plane."""
        pose, _ = after.pose_of(self.quad(before), self.looks.size_mm)
        fit = with_pose(self.fit, np.array([pose.x_mm, pose.y_mm, pose.angle_rad]))
        return replace(self, fit=fit)


@lru_cache(maxsize=16)
def outline_of(looks: LookSet) -> EdgeModel:
    """The outline of cards of one size, whatever face they show."""
    return outline_edges(looks.size_mm, looks.radius_mm, [v.colour for v in looks.looks])


@lru_cache(maxsize=256)
def edges_of(looks: LookSet, look: int) -> EdgeModel:
    """Outline and print of a face."""
    picture = looks.looks[look].colour
    return outline_edges(looks.size_mm, looks.radius_mm, [picture]) + printed_edges(picture, looks.size_mm)


def read_faces(
    pyramid: Pyramid, plane: Plane, looks: LookSet, fit: Fit, visible: float, clear: Floats | None = None
) -> Laid | None:
    """Hold every face against a laid card, every way round.

    Parameters
    ----------
    looks
        The faces of its size.
    fit
        Where it lies.
    visible
        Share of it that can be seen.
    clear
        (rows, columns) of the fine grid, 0 where something lies on it; default: nothing does.

    Returns
    -------
    Laid or None
        None where it is seen from its edge.
    """
    fine = face_bank(looks).fine
    quad = plane.quad_of(pose_of(fit.pose), looks.size_mm)
    ways = (0, 1, 2, 3) if looks.square else (0, 2)
    whole = bool((quad > 0).all() and (quad < np.array(pyramid.rgb.shape[1::-1]) - 1).all())
    errors, samples = [], 0.0
    for way in ways:
        try:
            H = face_to_px(np.roll(quad, -way, 0), fine.grid)
        except ValueError:
            return None
        mask = (
            np.ones(fine.grid.shape, np.float32)
            if whole
            else np.asarray(pyramid.inside(H, fine.grid.shape), np.float32)
        )
        if clear is not None:
            mask = mask * (clear if way == 0 else np.rot90(clear, way))
        c = compare(pyramid.patch(H, fine.grid.shape), mask, fine)
        errors.append(c.error)
        samples = c.samples
    error = np.stack(errors)
    number, look = divmod(int(error.argmin()), error.shape[1])
    way = ways[number]
    turned = fit.pose + [0, 0, way * np.pi / 2]
    face = error.min(0)
    return Laid(looks, with_pose(fit, turned), look, float(face[look]), _readings(face, looks, samples), visible)


def pose_of(p: Array) -> Pose:
    """Centre and angle (3,) as a pose."""
    return Pose(float(p[0]), float(p[1]), float(p[2]))


def with_pose(fit: Fit, pose: Array) -> Fit:
    """The same fit elsewhere."""
    return Fit(pose, fit.covariance, fit.support, fit.scatter_mm, fit.found, fit.searched, fit.edges_px)


def belonging(left: float) -> float:
    """Probability that what leaves so much unexplained is of the deck at all."""
    return float(1 / (1 + np.exp(np.clip((left - _NAMED) / _NAMED_WIDTH, -30, 30))))


def _readings(error: Array, looks: LookSet, samples: float) -> tuple[Reading, ...]:
    best = float(error.min())
    p = np.exp(-min(_SHARP, samples / 20) * np.log(error / best))
    p = p / p.sum() * belonging(best)
    return tuple(Reading(looks.looks[i].id, float(p[i])) for i in np.argsort(-p) if p[i] > 1e-3)


def _near(a: Laid, b: Laid) -> bool:
    """Whether two cards lie so near that they may be one."""
    return float(np.hypot(*(a.fit.pose - b.fit.pose)[:2])) < max(*a.looks.size_mm, *b.looks.size_mm)


def resolved(laid: Iterable[Laid], plane: Plane) -> list[Laid]:
    """One card one outline, and one outline one name: what explains the picture better stays."""
    kept: list[Laid] = []
    names: set[str] = set()
    for v in sorted(laid, key=lambda v: v.left):
        face = v.looks.looks[v.look].id
        if any(_near(v, k) and overlap(v.quad(plane), k.quad(plane)) > _SAME for k in kept):
            continue
        if v.belongs > 0.5 and face and face in names:
            continue
        kept.append(v)
        if v.belongs > 0.5:
            names.add(face)
    return kept
