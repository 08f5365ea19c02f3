"""Made-up tables of Rox for tests: rows at the sides of a view, a heap in the middle, and the truth about both."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from scoring import geometry
from scoring.deck import RoxDeck, RoxFace, ScoringCard
from scoring.table import Placement, Point, Pose, Side, TableState

ELEMENTS = ("fire", "water", "earth", "air", "magic")
SIZES = ((59.0, 92.0), (56.0, 87.0), (63.0, 88.0), (44.0, 68.0), (70.0, 70.0), (70.0, 120.0))


def make_deck(seed: int = 1, card_mm: tuple[float, float] = (59.0, 92.0), cards: int = 60) -> RoxDeck:
    """A deck of cards with a unique leader each, and 15 scoring cards."""
    rng = random.Random(seed)
    faces = {}
    for n in range(cards):
        leader = rng.choice(ELEMENTS)
        counts = dict.fromkeys(ELEMENTS, 0)
        counts[leader] = 6
        others = [e for e in ELEMENTS if e != leader]
        for _ in range(10):
            counts[rng.choice([e for e in others if counts[e] < 5])] += 1
        edge = {e: c for e, c in counts.items() if c}
        name = f"R{n + 1:02d}"
        faces[name] = RoxFace(name, f"{name}.png", ELEMENTS[n % 5], edge, (leader,))
    values = (1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10)
    scoring = {f"P{i + 1:02d}": ScoringCard(f"P{i + 1:02d}", f"P{i + 1:02d}.png", v) for i, v in enumerate(values)}
    return RoxDeck("made-up", card_mm, 3.0, ELEMENTS, faces, scoring, card_mm)


def chain_of(deck: RoxDeck, length: int, rng: random.Random, used: set[str], broken_at: int | None = None) -> list[str]:
    """Face ids of a row whose links are all valid but the one onto index `broken_at`; `used` grows."""
    row: list[str] = []
    for i in range(length):
        free = [f for f in deck.faces.values() if f.id not in used]
        if row:
            leader = deck.faces[row[-1]].leader
            fits = [f for f in free if (f.center == leader) != (i == broken_at)]
            free = fits or free
        face = rng.choice(free)
        used.add(face.id)
        row.append(face.id)
    return row


@dataclass(frozen=True)
class MadeTable:
    """A table and the truth: keys by seat from the owner's left, and the pool's keys."""

    table: TableState
    deck: RoxDeck
    rows: dict[str, tuple[str, ...]]
    pool: tuple[str, ...]


def frame_of(seat: str, width: float, height: float) -> tuple[Point, Point, Point, float]:
    """Corner at the owner's left, direction to the right, direction to the middle, and the side's length."""
    return {
        "south": ((0.0, height), (1.0, 0.0), (0.0, -1.0), width),
        "west": ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), height),
        "north": ((width, 0.0), (-1.0, 0.0), (0.0, 1.0), width),
        "east": ((width, height), (0.0, -1.0), (-1.0, 0.0), height),
    }[seat]


def lay_row(
    faces: list[str | None],
    seat: str,
    size: tuple[float, float],
    area: tuple[float, float],
    rng: random.Random,
    first: int = 0,
    slop_deg: float = 8.0,
    most_gap: float = 25.0,
) -> list[Placement]:
    """A sloppy row in front of a seat of a table of that area, from the owner's left to the right."""
    origin, right, inward, length = frame_of(seat, *area)
    gaps = [rng.uniform(-0.08 * size[0], most_gap) for _ in faces]
    total = sum(gaps) + size[0] * len(faces)
    slack = length - total
    along = rng.uniform(0.15, 0.85) * slack if slack > 0 else slack / 2
    depth = size[1] / 2 + rng.uniform(0.05, 0.45) * size[1]
    row_turn = math.radians(rng.uniform(-5, 5))
    cards = []
    middle = along + total / 2
    upside = rng.randrange(len(faces)) if rng.random() < 0.15 and len(faces) > 2 else None
    for i, face in enumerate(faces):
        along += gaps[i] + size[0]
        t = along - size[0] / 2
        d = depth + rng.uniform(-0.1, 0.1) * size[1] - (t - middle) * math.tan(row_turn)
        angle = math.atan2(right[1], right[0]) + row_turn + math.radians(rng.uniform(-slop_deg, slop_deg))
        angle += math.pi if i == upside else 0.0
        at = (origin[0] + t * right[0] + d * inward[0], origin[1] + t * right[1] + d * inward[1])
        cards.append(card(f"{first + i}", face, at, angle, size))
    return cards


def card(key: str, face: str | None, at: Point, angle: float, size: tuple[float, float]) -> Placement:
    """One card, certain where it has a face."""
    side = Side.UNKNOWN if face is None else Side.FACE
    return Placement(key, face, Pose(at[0], at[1], angle), size, confidence=0.0 if face is None else 1.0, side=side)


def tidy_table(
    deck: RoxDeck,
    rows: dict[str, list[str]],
    confidence: dict[str, float] | None = None,
    pool: tuple[str, ...] = (),
    scoring: tuple[str, ...] = (),
) -> TableState:
    """A table laid straight: each seat's row from the owner's left.

    The key of a card is its face id; that of a loose card with the face of a row card ends in ``-again``.
    `confidence` lowers the confidence of single faces; 0 makes the card unreadable.
    """
    width, height = deck.card_mm
    area = (15.0 * width, 6.5 * height)
    pieces = []
    for seat, faces in rows.items():
        origin, right, inward, length = frame_of(seat, *area)
        start = (length - len(faces) * width * 1.15) / 2 + width / 2
        for i, face in enumerate(faces):
            t, d = start + i * width * 1.15, 0.65 * height
            at = (origin[0] + t * right[0] + d * inward[0], origin[1] + t * right[1] + d * inward[1])
            piece = card(face, face, at, math.atan2(right[1], right[0]), deck.card_mm)
            sure = (confidence or {}).get(face, 1.0)
            if sure == 0:
                piece = replace(piece, face=None, confidence=0.0, side=Side.UNKNOWN)
            pieces.append(replace(piece, confidence=sure))
    for i, face in enumerate(pool):
        at = (area[0] / 2 + (i % 4 - 1.5) * width, area[1] / 2 + (i // 4 - 0.5) * width)
        key = f"{face}-again" if any(p.key == face for p in pieces) else face
        pieces.append(card(key, face, at, 0.7 + 1.1 * i, deck.card_mm))
    for i, face in enumerate(scoring):
        at = (area[0] / 2 + (i - 1) * width * 1.2, area[1] / 2)
        pieces.append(card(face, face, at, 0.0, deck.card_mm))
    return TableState(tuple(pieces), ((0.0, 0.0), (area[0], 0.0), area, (0.0, area[1])))


def make_table(
    seed: int,
    lengths: dict[str, int] | None = None,
    pool: int | None = None,
    broken: dict[str, int] | None = None,
    size: tuple[float, float] | None = None,
) -> MadeTable:
    """A whole table with rows, heap and scoring cards, seen by a tilted and rolled camera."""
    rng = random.Random(seed)
    size = size or rng.choice(SIZES)
    deck = make_deck(seed % 7, size)
    if lengths is None:
        seats = rng.sample(("south", "west", "north", "east"), rng.randint(2, 4))
        lengths = {s: rng.randint(2, 6) for s in seats}
    unit = max(size)
    area = (unit * rng.uniform(8.2, 9.5), unit * rng.uniform(5.6, 6.4))
    used: set[str] = set()
    rows: dict[str, tuple[str, ...]] = {}
    pieces: list[Placement] = []
    for seat, length in lengths.items():
        ids = chain_of(deck, length, rng, used, (broken or {}).get(seat))
        for _ in range(60):
            row = lay_row(list(ids), seat, size, area, rng, len(pieces))
            if not _meet(row, pieces, 0.05 * unit):
                break
        else:
            continue
        pieces += row
        rows[seat] = tuple(p.key for p in row)
    scoring = rng.choice([0, 0, 1, 2, 3])
    for k in range(scoring):
        at = (area[0] / 2 + (k - 1) * size[0] * 1.15, area[1] / 2)
        pieces.append(card(f"S{k}", f"P{k + 1:02d}", at, rng.uniform(-0.1, 0.1), size))
    loose = []
    free = [f for f in deck.faces if f not in used]
    rng.shuffle(free)
    count = rng.randint(5, 40) if pool is None else pool
    centre = (area[0] * rng.uniform(0.42, 0.58), area[1] * rng.uniform(0.45, 0.55))
    spread = (area[0] * rng.uniform(0.12, 0.2), area[1] * rng.uniform(0.09, 0.14))
    row_cards = [p for p in pieces if p.face not in deck.scoring_cards]
    for _ in range(count * 20):
        if len(loose) == min(count, len(free)):
            break
        at = (rng.gauss(centre[0], spread[0]), rng.gauss(centre[1], spread[1]))
        piece = card(f"L{len(loose)}", free[len(loose)], at, rng.uniform(-math.pi, math.pi), size)
        if rng.random() < 0.1:
            piece = card(piece.key, None, at, piece.pose.angle_rad, size)
        inside = 0.1 * area[0] < at[0] < 0.9 * area[0] and 0.1 * area[1] < at[1] < 0.9 * area[1]
        if inside and not _meet([piece], row_cards, 0.04 * unit) and not _between(at, rows, pieces, area, size):
            loose.append(piece)
    rng.shuffle(pieces)
    table = TableState((*pieces, *loose), _view(area, unit, rng))
    return MadeTable(table, deck, rows, tuple(p.key for p in loose if p.face))


def _meet(some: list[Placement], others: list[Placement], least_mm: float) -> bool:
    def near(a: Placement, b: Placement) -> bool:
        far = (math.hypot(*a.size_mm) + math.hypot(*b.size_mm)) / 2 + least_mm
        return math.hypot(a.pose.x_mm - b.pose.x_mm, a.pose.y_mm - b.pose.y_mm) < far

    return any(near(a, b) and geometry.signed_gap_mm(a.corners(), b.corners()) < least_mm for a in some for b in others)


def _between(
    at: Point,
    rows: dict[str, tuple[str, ...]],
    pieces: list[Placement],
    area: tuple[float, float],
    size: tuple[float, float],
) -> bool:
    """Whether a loose card would lie between a row and its owner, where no heap is."""
    where = {p.key: p.pose for p in pieces}
    for seat, keys in rows.items():
        origin, right, inward, _ = frame_of(seat, *area)

        def local(x: float, y: float, o: Point = origin, r: Point = right, n: Point = inward) -> Point:
            return ((x - o[0]) * r[0] + (y - o[1]) * r[1], (x - o[0]) * n[0] + (y - o[1]) * n[1])

        spots = [local(where[k].x_mm, where[k].y_mm) for k in keys]
        t, d = local(*at)
        if (
            min(s[0] for s in spots) - size[0] < t < max(s[0] for s in spots) + size[0]
            and d < spots[0][1] + size[1] / 2
        ):
            return True
    return False


def _view(area: tuple[float, float], unit: float, rng: random.Random) -> tuple[Point, Point, Point, Point]:
    """What a tilted, rolled camera sees of the plane: a trapezoid round the area."""
    margin = unit * rng.uniform(0.0, 0.3)
    lean = rng.uniform(0.0, 0.12) * area[0]
    roll = math.radians(rng.uniform(-8, 8))
    middle = (area[0] / 2, area[1] / 2)
    corners = [
        (-margin - lean, -margin),
        (area[0] + margin + lean, -margin),
        (area[0] + margin, area[1] + margin),
        (-margin, area[1] + margin),
    ]

    def rolled(p: Point) -> Point:
        x, y = p[0] - middle[0], p[1] - middle[1]
        return (
            middle[0] + x * math.cos(roll) - y * math.sin(roll),
            middle[1] + x * math.sin(roll) + y * math.cos(roll),
        )

    tl, tr, br, bl = (rolled(p) for p in corners)
    return (tl, tr, br, bl)


def moved(table: TableState, dx: float, dy: float, turn: float) -> TableState:
    """The whole table, view included, turned about the origin and shifted."""
    c, s = math.cos(turn), math.sin(turn)

    def at(x: float, y: float) -> Point:
        return (x * c - y * s + dx, x * s + y * c + dy)

    pieces = []
    for p in table.placements:
        x, y = at(p.pose.x_mm, p.pose.y_mm)
        pose = Pose(x, y, p.pose.angle_rad + turn)
        pieces.append(
            Placement(
                p.key, p.face, pose, p.size_mm, p.sigma_mm, p.confidence, p.candidates, p.visible, p.side, p.layer
            )
        )
    a, b, d, e = (at(*q) for q in table.view)
    return TableState(tuple(pieces), (a, b, d, e), table.covers)
