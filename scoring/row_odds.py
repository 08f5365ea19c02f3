"""How much better "laid side by side by a player" explains some cards than "fallen so by chance" does.

Every figure is the logarithm of a ratio of probabilities, so that they add up; positive speaks for a row.
All lengths are millimetres or fractions of a card.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring import geometry
from scoring.table import Placement, Point

GAP_MM = 25.0
"""Gaps between neighbours are normal up to here (or to `GAP_SHARE` of the card's width for large cards)."""
GAP_SHARE = 0.45
OVERLAP_SHARE = 0.12
"""Neighbours may overlap by this share of the width without looking odd."""
CARD_TURN_RAD = math.radians(6)
"""Standard deviation of a card's direction within its row: 10 degrees are ordinary sloppiness."""
ROW_TURN_RAD = math.radians(9)
"""Standard deviation of a row's direction against its side of the view."""
MOST_ROW_TURN_RAD = math.radians(28)
STEP_SHARE = 0.15
"""Standard deviation of the offset across the row between neighbours, as a share of the card's height."""
MOST_STEP_SHARE = 0.5
MOST_PAIR_TURN_RAD = math.radians(28)
UPSIDE_DOWN = 0.05
"""Probability that a card of a row is turned by 180 degrees."""
QUARTER_TURN = 0.02
"""Probability that a square card is turned by 90 degrees either way."""
ROW_TURNED = 0.02
"""Probability that a whole row is upside down for its owner."""
UNSEEN = 0.01
"""Probability that the eye missed a card of a row altogether."""
CHAIN_PRIOR = -7.0
"""A heap offers hundreds of chains, of which none is a row: the logarithm of that."""
LONE_PRIOR = -5.0
"""The same for single cards, of which there are some dozens."""
KNOWN_SEAT = 2.5
"""What it speaks for a row that somebody is known to sit there."""
UNREADABLE = 0.2
"""How much rarer an outline without a name is in a row than a named card."""


@dataclass(frozen=True, slots=True)
class SideOfView:
    """One side: where it lies and how its owner looks at the table."""

    seat: str
    right: Point
    """Unit vector from the owner's left to the owner's right."""
    edge: tuple[Point, Point]
    opposite: tuple[Point, Point]

    def depth(self, at: Point) -> float:
        """0 on this side of the view, 1 on the opposite one."""
        near, far = _line_distance(self.edge, at), _line_distance(self.opposite, at)
        return near / max(near + far, 1e-9)


def sides_of(view: tuple[Point, Point, Point, Point]) -> dict[str, SideOfView]:
    """The four sides of a view (top-left, top-right, bottom-right, bottom-left corner), by seat."""
    tl, tr, br, bl = view
    # A tilted camera sees a trapezoid, whose slanted sides say nothing about the table; its middle axis does.
    across = _unit((tr[0] - tl[0] + br[0] - bl[0], tr[1] - tl[1] + br[1] - bl[1]))
    down = (-across[1], across[0])
    if down[0] * (bl[0] - tl[0] + br[0] - tr[0]) + down[1] * (bl[1] - tl[1] + br[1] - tr[1]) < 0:
        down = (-down[0], -down[1])
    back, up = (-across[0], -across[1]), (-down[0], -down[1])
    return {
        "south": SideOfView("south", across, (bl, br), (tl, tr)),
        "west": SideOfView("west", down, (tl, bl), (tr, br)),
        "north": SideOfView("north", back, (tl, tr), (bl, br)),
        "east": SideOfView("east", up, (tr, br), (tl, bl)),
    }


class Scene:
    """The cards with what every chain asks again and again: how they overlap and who is near."""

    def __init__(self, cards: Sequence[Placement], named: Sequence[bool]) -> None:
        self.cards = cards
        self.named = named
        self.at: list[Point] = [(p.pose.x_mm, p.pose.y_mm) for p in cards]
        self.reach = max((math.hypot(*p.size_mm) for p in cards), default=1.0)
        n = len(cards)
        self.near: list[list[int]] = [[] for _ in range(n)]
        self.gap: list[dict[int, float]] = [{} for _ in range(n)]
        self.covered: list[dict[int, float]] = [{} for _ in range(n)]
        pairs = [
            (i, j) for i in range(n) for j in range(i + 1, n) if math.dist(self.at[i], self.at[j]) <= 1.5 * self.reach
        ]
        gaps, overlaps = geometry.pairwise([p.corners() for p in cards], pairs)
        for (i, j), gap, overlap in zip(pairs, gaps, overlaps, strict=True):
            self.near[i].append(j)
            self.near[j].append(i)
            self.gap[i][j] = self.gap[j][i] = gap
            if overlap > 0:
                self.covered[i][j] = overlap / (cards[i].size_mm[0] * cards[i].size_mm[1])
                self.covered[j][i] = overlap / (cards[j].size_mm[0] * cards[j].size_mm[1])

    def crowd(self, i: int, chain: Sequence[int]) -> float:
        """Cards a square millimetre round card `i`, without those of the chain; never zero."""
        radius = 1.5 * self.reach
        others = sum(1 for j in self.near[i] if j not in chain)
        return (others + 0.5) / (math.pi * radius * radius)

    def heaped(self, chain: Sequence[int]) -> float:
        """Sum over the chain's cards of how deep loose cards lie in them, 1 for a quarter of the card and more."""
        total = 0.0
        for i in chain:
            share = sum(s for j, s in self.covered[i].items() if j not in chain)
            total += min(share / 0.25, 1.0)
        return total

    def apart_mm(self, i: int) -> float:
        """Gap to the nearest other card."""
        return min(self.gap[i].values(), default=math.inf)


def turn_against(piece: Placement, right: Point) -> float | None:
    """How far the card's long axis is turned against the row of that side, within half a turn; None if too far."""
    turn = piece.pose.angle_rad - math.atan2(right[1], right[0])
    period = math.pi / 2 if _is_square(piece) else math.pi
    turn = (turn + period / 2) % period - period / 2
    return turn if abs(turn) <= MOST_ROW_TURN_RAD + 2 * CARD_TURN_RAD else None


def _is_square(piece: Placement) -> bool:
    return abs(piece.size_mm[0] - piece.size_mm[1]) <= 0.05 * max(piece.size_mm)


def neighbours(scene: Scene, side: SideOfView, i: int, j: int, turn: float) -> tuple[float, float, float, float]:
    """Gap along the row, step across it, mean width and height of two cards, for a row turned by `turn`."""
    along = _rotated(side.right, turn)
    dx, dy = scene.at[j][0] - scene.at[i][0], scene.at[j][1] - scene.at[i][1]
    width = (scene.cards[i].size_mm[0] + scene.cards[j].size_mm[0]) / 2
    height = (scene.cards[i].size_mm[1] + scene.cards[j].size_mm[1]) / 2
    return dx * along[0] + dy * along[1] - width, dy * along[0] - dx * along[1], width, height


def row_odds(
    scene: Scene,
    side: SideOfView,
    cards: tuple[int, ...],
    holes: tuple[int, ...],
    turns: Sequence[float | None],
    known_seat: bool,
) -> float:
    """Logarithm of the odds that this chain is a row of that side rather than loose cards."""
    direction = _direction(scene, side, cards, turns)
    score = (LONE_PRIOR if len(cards) == 1 else CHAIN_PRIOR) + (KNOWN_SEAT if known_seat else 0.0)
    score += _log_normal(direction, ROW_TURN_RAD if len(cards) > 1 else math.hypot(ROW_TURN_RAD, CARD_TURN_RAD))
    score -= math.log(1 / (2 * math.pi)) if len(cards) == 1 else _log_normal(0.0, ROW_TURN_RAD)
    score += _turn_odds(scene, side, cards, direction) if len(cards) > 1 else _upright_odds(scene, side, cards[0])
    for k, (i, j) in enumerate(itertools.pairwise(cards), start=1):
        score += _pair_odds(scene, side, i, j, direction, k in holes, cards)
    centre = (_mean([scene.at[i][0] for i in cards]), _mean([scene.at[i][1] for i in cards]))
    score += 3.0 * (1 - (side.depth(centre) / 0.33) ** 2)
    score -= 4.0 * scene.heaped(cards)
    score -= 3.0 * _outside(scene, side, cards, direction)
    score += sum(math.log(UNREADABLE) for i in cards if not scene.named[i])
    if len(cards) == 1:
        # Alone in front of its owner: the wider the empty table round it, the clearer.
        apart = scene.apart_mm(cards[0]) / scene.cards[cards[0]].size_mm[0]
        score += 12 * min(apart, 0.25) - 2.0 + min(apart, 1.0)
    return score


def _direction(scene: Scene, side: SideOfView, cards: Sequence[int], turns: Sequence[float | None]) -> float:
    """Turn of the row against its side: the mean of its cards' turns and, for longer rows, of its line."""
    mean = _mean([t for i in cards if (t := turns[i]) is not None])
    if len(cards) < 3:
        return mean
    dx = scene.at[cards[-1]][0] - scene.at[cards[0]][0]
    dy = scene.at[cards[-1]][1] - scene.at[cards[0]][1]
    line = math.atan2(dy * side.right[0] - dx * side.right[1], dx * side.right[0] + dy * side.right[1])
    return (mean + line) / 2


def _turn_odds(scene: Scene, side: SideOfView, cards: Sequence[int], direction: float) -> float:
    """How much better a row explains the cards' directions than chance does."""
    upright = turned = 0.0
    for i in cards:
        piece = scene.cards[i]
        off = piece.pose.angle_rad - math.atan2(side.right[1], side.right[0]) - direction
        upright += _card_turn(piece, off, scene.named[i])
        turned += _card_turn(piece, off + math.pi, scene.named[i])
    a, b = upright + math.log(1 - ROW_TURNED), turned + math.log(ROW_TURNED)
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def _card_turn(piece: Placement, off: float, named: bool) -> float:
    def density(mean: float) -> float:
        d = (off - mean + math.pi) % (2 * math.pi) - math.pi
        return math.exp(-((d / CARD_TURN_RAD) ** 2) / 2) / (CARD_TURN_RAD * math.sqrt(2 * math.pi))

    quarter = QUARTER_TURN if _is_square(piece) else 0.0
    down = 0.5 if not named else UPSIDE_DOWN
    likely = (1 - down - 2 * quarter) * density(0) + down * density(math.pi)
    likely += quarter * (density(math.pi / 2) + density(-math.pi / 2))
    return math.log(max(likely, 1e-4) * 2 * math.pi)


def _upright_odds(scene: Scene, side: SideOfView, i: int) -> float:
    """For a card alone: only the upright half of the directions speaks for a row."""
    if not scene.named[i]:
        return -10.0
    off = scene.cards[i].pose.angle_rad - math.atan2(side.right[1], side.right[0])
    off = (off + math.pi) % (2 * math.pi) - math.pi
    return 0.0 if abs(off) < math.pi / 4 else math.log(UPSIDE_DOWN)


def _pair_odds(
    scene: Scene, side: SideOfView, i: int, j: int, direction: float, hole: bool, chain: Sequence[int]
) -> float:
    """How much better a neighbour in a row explains where card `j` lies than a loose card does."""
    gap, step, width, height = neighbours(scene, side, i, j, direction)
    usual = max(GAP_MM, GAP_SHARE * width)
    low = -OVERLAP_SHARE * width
    odds = 0.0
    if hole:
        gap = (gap - width) / 2
        odds += math.log(UNSEEN) - math.log(2)
    beyond = max(gap - usual, low - gap, 0.0)
    odds -= math.log(usual - low) + beyond / (0.08 * width)
    odds += _log_normal(step, STEP_SHARE * height)
    return odds - math.log(scene.crowd(j, chain))


def _outside(scene: Scene, side: SideOfView, cards: Sequence[int], direction: float) -> float:
    """Loose cards between the row and its side: a count, and less for cards at the row's ends."""
    along = _rotated(side.right, direction)
    outward = (-along[1], along[0])
    middle = (
        (side.edge[0][0] + side.edge[1][0]) / 2 - (side.opposite[0][0] + side.opposite[1][0]) / 2,
        (side.edge[0][1] + side.edge[1][1]) / 2 - (side.opposite[0][1] + side.opposite[1][1]) / 2,
    )
    if outward[0] * middle[0] + outward[1] * middle[1] < 0:
        outward = (-outward[0], -outward[1])
    spots = [scene.at[i] for i in cards]
    ts = [x * along[0] + y * along[1] for x, y in spots]
    ds = [x * outward[0] + y * outward[1] for x, y in spots]
    width, height = scene.cards[cards[0]].size_mm
    count = 0.0
    for k, (x, y) in enumerate(scene.at):
        if k in cards:
            continue
        t, d = x * along[0] + y * along[1], x * outward[0] + y * outward[1]
        if d > _mean(ds) + 0.5 * height and min(ts) - width / 2 < t < max(ts) + width / 2:
            count += 1.0
    return min(count, 3.0)


def _log_normal(value: float, sigma: float) -> float:
    return -((value / sigma) ** 2) / 2 - math.log(sigma * math.sqrt(2 * math.pi))


def _line_distance(line: tuple[Point, Point], at: Point) -> float:
    (x0, y0), (x1, y1) = line
    length = max(math.hypot(x1 - x0, y1 - y0), 1e-9)
    return abs((x1 - x0) * (at[1] - y0) - (y1 - y0) * (at[0] - x0)) / length


def _unit(v: Point) -> Point:
    length = max(math.hypot(*v), 1e-9)
    return (v[0] / length, v[1] / length)


def _rotated(v: Point, turn: float) -> Point:
    c, s = math.cos(turn), math.sin(turn)
    return (v[0] * c - v[1] * s, v[0] * s + v[1] * c)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
