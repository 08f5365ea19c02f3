"""Two readings of one table on one plane: a restarted program or a photo from elsewhere starts its plane anew."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from scoring.table import Placement, Point, Pose, TableState

AGREE_MM = 4.0
"""A piece whose corners come within this of where they lay agrees that everything moved together."""
SURE = 0.5
"""Only pieces whose names are rather right than wrong are compared."""


@dataclass(frozen=True, slots=True)
class Rigid:
    """A turn about the origin by `angle_rad`, then a shift."""

    angle_rad: float = 0.0
    dx_mm: float = 0.0
    dy_mm: float = 0.0

    def __call__(self, point: Point) -> Point:
        """Where that point comes to lie."""
        c, s = math.cos(self.angle_rad), math.sin(self.angle_rad)
        return (c * point[0] - s * point[1] + self.dx_mm, s * point[0] + c * point[1] + self.dy_mm)

    def back(self) -> Rigid:
        """The move that undoes this one."""
        c, s = math.cos(self.angle_rad), math.sin(self.angle_rad)
        return Rigid(-self.angle_rad, -(c * self.dx_mm + s * self.dy_mm), s * self.dx_mm - c * self.dy_mm)

    def piece(self, piece: Placement) -> Placement:
        """The piece where it comes to lie."""
        x, y = self((piece.pose.x_mm, piece.pose.y_mm))
        return replace(piece, pose=Pose(x, y, piece.pose.angle_rad + self.angle_rad, piece.pose.plane))

    def table(self, table: TableState) -> TableState:
        """The whole table, moved."""
        a, b, c, d = (self(p) for p in table.view)
        return replace(
            table,
            placements=tuple(self.piece(p) for p in table.placements),
            view=(a, b, c, d),
            board=self.piece(table.board) if table.board is not None else None,
            tokens=tuple(replace(t, at=self(t.at)) for t in table.tokens),
            area=tuple(self(p) for p in table.area),
        )


STAY = Rigid()


def alignment(before: TableState, after: TableState) -> Rigid:
    """The move that lays `after` onto `before`, so that what nobody touched lies where it lay.

    Every piece that is known in both tells a move; the one on which most pieces agree is taken, fitted to all of them.
    Where as many agree that nothing moved, nothing is moved.

    Parameters
    ----------
    before, after
        Two tables with at least one face, or the board, in common; else they stay as they are.
    """
    pairs = _pairs(before, after)
    best, agreeing = STAY, _agreeing(STAY, pairs)
    for new, old in pairs:
        move = _move(new, old)
        found = _agreeing(move, pairs)
        if len(found) > len(agreeing):
            best, agreeing = move, found
    return STAY if best is STAY else _fitted(agreeing)


def _pairs(before: TableState, after: TableState) -> list[tuple[Placement, Placement]]:
    old = {p.face: p for p in before.placements if p.face is not None and p.confidence >= SURE}
    pairs = [(p, old[p.face]) for p in after.placements if p.face in old and p.confidence >= SURE]
    if before.board is not None and after.board is not None:
        pairs.insert(0, (after.board, before.board))
    return pairs


def _move(new: Placement, old: Placement) -> Rigid:
    turn = Rigid(old.pose.angle_rad - new.pose.angle_rad)
    x, y = turn((new.pose.x_mm, new.pose.y_mm))
    return Rigid(turn.angle_rad, old.pose.x_mm - x, old.pose.y_mm - y)


def _agreeing(move: Rigid, pairs: list[tuple[Placement, Placement]]) -> list[tuple[Placement, Placement]]:
    return [(new, old) for new, old in pairs if _apart_mm(move.piece(new), old) <= AGREE_MM]


def _apart_mm(a: Placement, b: Placement) -> float:
    return max(math.dist(p, q) for p, q in zip(a.corners(), b.corners(), strict=True))


def _fitted(pairs: list[tuple[Placement, Placement]]) -> Rigid:
    """Least squares over all corners: a plane turn has a closed form."""
    source = [p for new, _ in pairs for p in new.corners()]
    target = [p for _, old in pairs for p in old.corners()]
    n = len(source)
    sx, sy = sum(x for x, _ in source) / n, sum(y for _, y in source) / n
    tx, ty = sum(x for x, _ in target) / n, sum(y for _, y in target) / n
    dot = cross = 0.0
    for (x, y), (u, v) in zip(source, target, strict=True):
        dot += (x - sx) * (u - tx) + (y - sy) * (v - ty)
        cross += (x - sx) * (v - ty) - (y - sy) * (u - tx)
    angle = math.atan2(cross, dot)
    c, s = math.cos(angle), math.sin(angle)
    return Rigid(angle, tx - (c * sx - s * sy), ty - (s * sx + c * sy))
