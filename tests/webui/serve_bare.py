"""A server for tests that kill it: the real store, runner and page, an eye that always sees the same row of cards.

``python -m tests.webui.serve_bare DATABASE PORT``; prints one line when it serves.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from werkzeug.serving import make_server

from scoring.deck import parse_deck
from scoring.table import Placement, Pose, TableState
from webui import create_app
from webui.log.store import Store
from webui.security import Door
from webui.services import Services
from webui.table.picture import Frame
from webui.table.runner import Runner
from webui.table.seeing import Reading, Sight

DECK = Path(__file__).parents[2] / "calibration" / "decks" / "rox-proxy" / "deck.json"
EVIDENCE = b"\xff\xd8" + bytes(range(256)) * 1500
"""About as large as a stored picture."""


@dataclass(frozen=True)
class Still:
    """A frame of nothing."""

    at_s: float = 0.0


class Eye:
    """Sees six cards before each of two players."""

    def __init__(self, faces: list[str]) -> None:
        rows = [(60.0 + 75 * i, y, faces[n]) for n, (i, y) in enumerate((i, y) for y in (60, 540) for i in range(6))]
        cards = tuple(
            Placement(str(n), face, Pose(x + 100, y, 0.0 if y > 300 else 3.14159), (59.0, 92.0), confidence=0.99)
            for n, (x, y, face) in enumerate(rows)
        )
        self._table = TableState(cards, ((0, 0), (800, 0), (800, 600), (0, 600)))

    def look(self, frame: Frame) -> Sight:
        return self.read(frame)

    def read(self, frame: Frame) -> Sight:
        quads = {p.key: p.corners() for p in self._table.placements}
        return Sight("settled", "", Reading(self._table, quads, (800, 600), frame))

    def second(self, frame: Frame) -> Sight:
        return self.read(frame)

    def agree(self, area_px: object) -> None:
        """The playing area is all that is seen."""

    def open(self, data: bytes) -> Frame:
        return Still()

    def encode(self, frame: Frame) -> bytes:
        return EVIDENCE

    def evidence(self, frame: Frame) -> bytes:
        return EVIDENCE

    def take_up(self, look: object) -> None:
        """There is one deck."""

    def reset(self) -> None:
        pass


class NoArt:
    """No pictures of cards."""

    def has(self, face: str) -> bool:
        return False

    def card(self, face: str) -> tuple[bytes, str] | None:
        return None


def main() -> None:
    """Serve until killed."""
    deck = parse_deck(json.loads(DECK.read_text("utf-8")), str(DECK))
    store = Store(f"sqlite:///{sys.argv[1]}")
    runner = Runner(store, Eye(list(deck.faces)), deck, None)
    runner.resume()
    runner.start()
    services = Services(store, runner, NoArt(), Door(store.secret()), [], "bare")
    server = make_server("127.0.0.1", int(sys.argv[2]), create_app(services), threaded=True)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
