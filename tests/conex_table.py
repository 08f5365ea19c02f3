"""A small deck of CONEX and a table of it, made by hand, for tests that need no picture."""

from __future__ import annotations

from scoring.deck import ConexBoard, ConexDeck, ConexFace, Corner, Space, Star
from scoring.table import BOARD, Placement, Pose, TableState, Token, TokenKind

CARD_MM = (60.0, 90.0)
VIEW = ((-400.0, -250.0), (400.0, -250.0), (400.0, 250.0), (-400.0, 250.0))
COLORS = {"yellow": "#f6c800", "red": "#d8262f", "turquoise": "#1fa9a6", "purple": "#6a3a8c"}
TOP_LEFT = ((0.0, 0.0), (24.0, 0.0), (0.0, 28.0))
TOP_RIGHT = ((60.0, 0.0), (60.0, 26.0), (38.0, 0.0))
BOTTOM = ((20.0, 90.0), (44.0, 90.0), (32.0, 72.0))


def face(name: str, color: str, corners: tuple[tuple[str, int], ...], symbol: str | None = None) -> ConexFace:
    regions = (TOP_LEFT, TOP_RIGHT, BOTTOM)
    return ConexFace(
        name, f"{name}.png", color, symbol, tuple(Corner(c, v, regions[i]) for i, (c, v) in enumerate(corners))
    )


FACES = (
    face("C01", "purple", (("red", 4), ("yellow", 2))),
    face("C02", "red", (("purple", 4), ("turquoise", 1), ("yellow", 2))),
    face("C03", "yellow", (("turquoise", 5), ("red", 5)), "plus2"),
    face("C04", "turquoise", (("yellow", 3), ("purple", 2)), "die"),
    face("C05", "red", (("yellow", 3), ("turquoise", 1))),
    face("C06", "turquoise", (("purple", 4), ("yellow", 4)), "plus2"),
)


def deck() -> ConexDeck:
    """Four colours, six cards, a board of 120 mm with 30 squares and the goal on square 29."""
    side = ((0.0, 0.0), (33.0, 0.0), (33.0, 33.0), (0.0, 33.0))

    def space(color: str, dx: float, dy: float) -> Space:
        return Space(color, tuple((x + dx, y + dy) for x, y in side))

    spaces = (space("yellow", 0, 0), space("red", 87, 0), space("turquoise", 87, 87), space("purple", 0, 87))
    track = tuple((40.0 + 8 * (n % 6 if n // 6 % 2 == 0 else 5 - n % 6), 40.0 + 8 * (n // 6)) for n in range(30))
    board = ConexBoard("board.png", 120.0, spaces, track, 29)
    stars = {"2x": Star("star-2x.png", 24.0), "lightning": Star("star-lightning.png", 24.0)}
    return ConexDeck(
        "hand-made",
        CARD_MM,
        3.0,
        COLORS,
        {f.id: f for f in FACES},
        board,
        stars,
        {"white": "#efede6", "black": "#1e1e20", "green": "#2e8b3d", "blue": "#2a56a8"},
    )


def board(x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Placement:
    return Placement(BOARD, BOARD, Pose(x, y, angle), (120.0, 120.0), 0.3)


def card(key: str, name: str | None, x: float, y: float, angle: float = 0.0, **more: object) -> Placement:
    return Placement(key, name, Pose(x, y, angle), CARD_MM, 0.3, **more)  # type: ignore[arg-type]


def pawn(name: str, square: int | None, confidence: float = 1.0) -> Token:
    at = deck().board.track[square or 0]
    return Token(TokenKind.PAWN, name, (at[0] - 60, at[1] - 60), BOARD, square, confidence)


def star(kind: str, on: str | None = None, at: tuple[float, float] = (300.0, 200.0)) -> Token:
    return Token(TokenKind.STAR, kind, at, on)


def table(*cards: Placement, tokens: tuple[Token, ...] = (), **more: object) -> TableState:
    return TableState(cards, VIEW, board=board(), tokens=tokens, **more)  # type: ignore[arg-type]
