"""A second picture of the same cacti from another place: it settles the depth that one view leaves open.

Both pictures have their own stage, so a piece that is found in both has two places on its cactus, each exact across
its line of sight and vague along it. Where the lines differ the two make one place that is exact all round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from shapely.geometry import Polygon

from scoring.table import Contact
from vision.cactus.cactus_set import CactusSet, PieceLook
from vision.cactus.contacts import sight, spread_of, weigh_contacts
from vision.cactus.joint_contacts import joint_contacts
from vision.cactus.joint_fit import Fitted
from vision.cactus.joint_start import Sighted, fit_both
from vision.cactus.upright import HungPiece, Rigid, Upright

Array = NDArray[np.float64]

_STEP_MM = 0.8
_TURNS = 8
_INDEPENDENT = 5.0
"""An outline that is off is off as a whole: its points say as much as so many that err by themselves."""
_SLIDES = 1.0
"""By so many times its hidden share an outline is less certain than one that is seen whole."""
_TILT_RAD = 0.1
"""Standard deviation of a tilt that one view tells."""
_ASIDE_MM = 1.0
"""Standard deviation by which the second view has a whole cactus aside of where the first has it."""
_LEAST_SIGMA_MM = 0.15
"""No outline is trusted farther than this when two views are held against each other."""
_LAYERED_MM = 1.8
"""A depth that a view knows better than this counts, though for no more than this."""
_DEPTH_MM = 5.0
"""Standard deviation of how far pieces hang before or behind their cactus: what one view says of it is worth less."""
_FLOOR_MM = 0.1
"""What wood that is cut not quite as drawn adds to the doubt, in each direction."""
_WIDER, _STANDS_MM = 1.3, 0.6
"""By so much a fit says too well how high a piece hangs, and what the height of base and table adds to that."""
_BORNE_OUT = 0.5
"""Least share of a piece's edge that both pictures must show where it is thought to be."""
_LEAST_POINTS = 12
"""... and at how many places, a millimetre apart."""
_ALONE = 0.7
"""What either picture says by itself counts so much, as log odds: in part it is what both say together ..."""
_NEVER = 0.02
"""... and is wrong at least as often as this."""
_PARTED_MM = 1.0
"""Two outlines of one piece that are apart by more than this, where both see them well, are not of one piece."""


def settle(
    cactus_set: CactusSet, first: Sighted, second: Sighted, alone: Sequence[Contact] = ()
) -> tuple[tuple[Contact, ...], frozenset[str]]:
    """The contacts of a table that was seen from two places.

    Parameters
    ----------
    cactus_set
        The set.
    first
        The picture that is judged; only its pieces have contacts.
    second
        The other picture. A piece that it does not show is known from the first alone.
    alone
        What either picture says of contacts by itself: what holds what is told there, which two places do not tell.

    Returns
    -------
    tuple and frozenset
        The contacts, and the names of the pieces that both pictures show.
    """
    agreed = joined(cactus_set, first, second)
    hung: dict[str, HungPiece] = {}
    spreads: dict[str, Array] = {}
    shared: dict[str, Array] = {}
    for piece in first.hung:
        spread = spread_of(first.stage, piece)
        if spread is not None:
            hung[piece.id], spreads[piece.id] = piece, spread
    for both in agreed:
        hung[both.hung.id] = both.hung
        spreads[both.hung.id], shared[both.hung.id] = both.spread, both.shared
    roughly = weigh_contacts(cactus_set, tuple(hung.values()), spreads, shared)
    fitted = fit_both(cactus_set, first, second, [both.hung for both in agreed])
    if fitted is None:
        return _pooled(roughly, alone), frozenset(shared)
    exactly = _borne_out(fitted)
    left = tuple(c for c in roughly if c.a not in exactly or (c.b is not None and c.b not in exactly))
    lowest = _above_table(cactus_set, fitted, [h for h in first.hung if h.id in exactly], exactly)
    told = left + lowest + joint_contacts(cactus_set, fitted, exactly)
    return _pooled(told, alone), frozenset(shared) | exactly.keys()


def _pooled(contacts: tuple[Contact, ...], alone: Sequence[Contact]) -> tuple[Contact, ...]:
    """Contacts as two places tell them, with what was known of each without."""
    known: dict[tuple[str, frozenset[str | None]], float] = {}
    for c in alone:
        believed = min(max(c.touching, _NEVER), 1 - _NEVER)
        key = (str(c.kind), frozenset((c.a, c.b)))
        known[key] = known.get(key, 0.0) + _ALONE * math.log(believed / (1 - believed))

    def touching(c: Contact) -> float:
        odds = math.exp(known.get((str(c.kind), frozenset((c.a, c.b))), 0.0))
        return c.touching * odds / (c.touching * odds + 1 - c.touching)

    return tuple(replace(c, touching=touching(c)) for c in contacts)


def _above_table(
    cactus_set: CactusSet, fitted: Fitted, hung: list[HungPiece], exactly: dict[str, int]
) -> tuple[Contact, ...]:
    """What of the pieces that both pictures bear out comes near base or table."""
    placed, spreads = [], {}
    for piece in hung:
        k = exactly[piece.id]
        pose = fitted.pieces[k].pose
        assert pose is not None
        placed.append(replace(piece, to_cactus=pose))
        # How well its lowest point is known is a matter of its turn, too.
        rim = _facing(_edge(cactus_set.piece(piece.id)), piece) @ pose.R.T
        x, y, z = rim[rim[:, 1].argmin()]
        lever = np.hstack([np.eye(3), [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]])
        own = lever @ fitted.covariance[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] @ lever.T
        spreads[piece.id] = (_WIDER * (2.0 - fitted.support[k].share)) ** 2 * own + _STANDS_MM**2 * np.eye(3)
    return tuple(c for c in weigh_contacts(cactus_set, placed, spreads) if c.b is None)


def _borne_out(fitted: Fitted) -> dict[str, int]:
    """The pieces that both pictures bear out, each with its place among all."""
    return {
        solid.id: k
        for k, (solid, support) in enumerate(zip(fitted.pieces, fitted.support, strict=True))
        if support.share >= _BORNE_OUT and support.points >= _LEAST_POINTS
    }


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """A piece as two views have it together.

    Parameters
    ----------
    hung
        The piece of the first view, at the place on which both agree.
    spread
        (3, 3) covariance of its place against the other pieces of its cactus, in mm.
    shared
        (3, 3) what is to be added against the cactus itself: what all its pieces have in common.
    """

    hung: HungPiece
    spread: Array
    shared: Array


def joined(cactus_set: CactusSet, first: Sighted, second: Sighted) -> tuple[Joined, ...]:
    """The pieces that two views show on the same cactus, each at one place; without those on which they disagree."""
    others = {h.id: h for h in second.hung}
    found: list[Joined] = []
    for upright in first.stage.cacti:
        there = next((u for u in second.stage.cacti if u.id == upright.id), None)
        pairs = [
            (h, others[h.id])
            for h in first.hung
            if h.cactus == upright.id and h.id in others and others[h.id].cactus == upright.id
        ]
        if there is not None and pairs:
            found += _on_cactus(cactus_set, pairs, upright, there)
    return tuple(found)


def _on_cactus(
    cactus_set: CactusSet, pairs: list[tuple[HungPiece, HungPiece]], first: Upright, second: Upright
) -> list[Joined]:
    """All pieces of one cactus together: the second view may have put the cactus a little aside as a whole."""
    edges = [_edge(cactus_set.piece(one.id)) for one, _ in pairs]
    views = [
        tuple(
            _View.of(h, sight(u, h), h.to_cactus.apply(_facing(e, h)))
            for h, u in zip(pair, (first, second), strict=True)
        )
        for pair, e in zip(pairs, edges, strict=True)
    ]
    own = [_facing(e, one) for e, (one, _) in zip(edges, pairs, strict=True)]
    poses = [one.to_cactus for one, _ in pairs]
    aside = np.zeros(3)
    inverses: list[Array] = []
    for _ in range(_TURNS):
        S, rest = np.eye(3) / _ASIDE_MM**2, -aside / _ASIDE_MM**2
        parts = []
        for k, pose in enumerate(poses):
            H, g, B = np.zeros((6, 6)), np.zeros(6), np.zeros((6, 3))
            for layer, deep in _layers(pairs[k]):
                H[2, 2] += deep**-2
                g[2] += (float(pose.t[2]) - layer) * deep**-2
            views[k][0].add(own[k], pose, np.zeros(3), H, g)
            C, c = views[k][1].add(own[k], pose, aside, H, g, B)
            inverse = np.asarray(np.linalg.inv(H), np.float64)
            S += C - B.T @ inverse @ B
            rest += -c + B.T @ inverse @ g
            parts.append((inverse, g, B))
        step = np.linalg.solve(S, rest)
        aside = aside + step
        inverses = [inverse for inverse, _, _ in parts]
        for k, (inverse, g, B) in enumerate(parts):
            poses[k] = _stepped(poses[k], -inverse @ (g + B @ step))
    common = np.linalg.inv(S)
    found = []
    for k, (one, _) in enumerate(pairs):
        off = max(views[k][0].off_mm(own[k], poses[k], np.zeros(3)), views[k][1].off_mm(own[k], poses[k], aside))
        if off > _PARTED_MM or abs(poses[k].t[2]) > 3 * _DEPTH_MM:
            continue
        lever = (inverses[k] @ parts[k][2])[:3]
        spread = inverses[k][:3, :3] + _FLOOR_MM**2 * np.eye(3)
        values = np.sqrt(np.linalg.eigvalsh(spread))
        hung = replace(one, to_cactus=poses[k], sigma_mm=float(values[1]), depth_sigma_mm=float(values[2]))
        found.append(Joined(hung, spread, lever @ common @ lever.T))
    return found


def _layers(pair: tuple[HungPiece, HungPiece]) -> list[tuple[float, float]]:
    """How far before its cactus a piece hangs by what hides what in each view, with its standard deviation, in mm."""
    known = [h for h in pair if h.depth_sigma_mm < _LAYERED_MM]
    return [(float(h.to_cactus.t[2]), _LAYERED_MM) for h in known] or [(0.0, _DEPTH_MM)]


def _stepped(pose: Rigid, step: Array) -> Rigid:
    turn, _ = cv2.Rodrigues(step[3:])
    return Rigid(np.asarray(turn @ pose.R, np.float64), pose.t + step[:3])


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What one picture tells of a piece: its edge across the line of sight, and roughly where along it."""

    hung: HungPiece
    along: Array
    across: Array  # (2, 3)
    seen: Array  # (n, 2) the edge across the line of sight
    normals: Array  # (n, 2)
    tree: cKDTree

    @classmethod
    def of(cls, hung: HungPiece, along: Array, edge_mm: Array) -> _View:
        aside = np.cross([0.0, 1.0, 0.0], along)
        aside = aside / np.linalg.norm(aside)
        across = np.stack([aside, np.cross(along, aside)])
        seen = edge_mm @ across.T
        run = np.roll(seen, -1, 0) - np.roll(seen, 1, 0)
        normals = np.column_stack([run[:, 1], -run[:, 0]]) / np.maximum(np.linalg.norm(run, axis=1), 1e-9)[:, None]
        return cls(hung, along, across, seen, normals, cKDTree(seen))

    def add(
        self, own: Array, pose: Rigid, aside: Array, H: Array, g: Array, B: Array | None = None
    ) -> tuple[Array, Array]:
        """Add what the view says of a small motion of a pose: a shift, and a turn about the piece.

        Parameters
        ----------
        own
            (n, 3) the piece's edge in its own frame.
        pose
            Where it is thought to hang.
        aside
            (3,) mm by which the view has the whole cactus aside.
        H, g
            (6, 6) and (6,) normal equations, added to.
        B
            (6, 3) their mixed part with `aside`, added to.

        Returns
        -------
        C, c
            (3, 3) and (3,) normal equations of `aside`.
        """
        arms = own @ pose.R.T
        flat = (arms + pose.t + aside) @ self.across.T
        _, nearest = self.tree.query(flat)
        normals = self.normals[nearest]
        off = ((flat - self.seen[nearest]) * normals).sum(1)
        out = normals @ self.across
        J = np.column_stack([out, np.cross(arms, out)])
        # What is half hidden may slide along what hides it.
        sigma = max(self.hung.sigma_mm, _LEAST_SIGMA_MM) * (1 + _SLIDES * (1 - self.hung.visible))
        weight = _INDEPENDENT / (len(own) * sigma**2)
        H += weight * J.T @ J
        g += weight * J.T @ off
        if B is not None:
            B += weight * J.T @ out
        # The plane of the plate, by its normal: which way its edge is turned in the plane is told by the edge.
        lean = np.cross(self.hung.to_cactus.R[:, 2], pose.R[:, 2])
        plane = np.eye(3) - np.outer(pose.R[:, 2], pose.R[:, 2])
        H[3:, 3:] += plane / _TILT_RAD**2
        g[3:] += plane @ lean / _TILT_RAD**2
        return weight * out.T @ out, weight * out.T @ off

    def off_mm(self, own: Array, pose: Rigid, aside: Array) -> float:
        """How far the edge at a pose is from the edge that was seen, across the line of sight."""
        distance, _ = self.tree.query((pose.apply(own) + aside) @ self.across.T)
        return float(np.sqrt((distance**2).mean()))


def _edge(look: PieceLook) -> Array:
    """(n, 3) points along a piece's edge in its own frame, as its front is seen."""
    outline = Polygon(look.outline_mm).buffer(0)
    if isinstance(outline, shapely.MultiPolygon):
        outline = max(outline.geoms, key=lambda part: part.area)
    dense = shapely.get_coordinates(shapely.segmentize(outline.exterior, _STEP_MM))[:-1]
    return np.asarray(np.column_stack([dense, np.zeros(len(dense))]), np.float64)


def _facing(edge: Array, hung: HungPiece) -> Array:
    """The edge as the side that is towards the viewer has it."""
    return np.asarray(edge * ([-1.0, 1.0, 1.0] if hung.flipped else [1.0, 1.0, 1.0]), np.float64)
