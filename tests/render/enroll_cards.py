"""Cards of a deck laid apart for enrolment, photographed a dozen at a time, with exact truth.

    python -m tests.render.enroll_cards OUT --decks DECK_FOLDER [DECK_FOLDER ...] --seed 7

writes case folders (`OUT/enroll/NAME/00.jpg`, `truth.json`) in the form of the contract's section 3.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.render.rox_table import framed_view
from tests.render.scene import Table, random_sensor

Json = dict[str, Any]
_UPSIDE_DOWN = 0.15  # share of the cards
_ASKEW = 0.3  # ... of a rough layout that lie askew
_GAP_MM = (9.0, 16.0)


def read(path: pathlib.Path) -> NDArray[np.uint8]:
    """A picture as RGB."""
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise FileNotFoundError(path)
    return np.ascontiguousarray(picture[..., ::-1])


def photograph(
    rng: np.random.Generator,
    cards: list[tuple[str, NDArray[np.uint8]]],
    size_mm: tuple[float, float],
    radius_mm: float,
    columns: int,
    size_px: tuple[int, int] = (1600, 900),
    rough: bool = False,
) -> tuple[NDArray[np.uint8], list[Json]]:
    """One picture of cards in rows, and where each lies; `rough`: held askew, under any lamp, some cards askew."""
    w, h = size_mm
    gap = float(rng.uniform(*_GAP_MM)) + (8.0 if rough else 0.0)
    rows = -(-len(cards) // columns)
    wide, deep = columns * (w + gap) + gap, rows * (h + gap) + gap
    view = framed_view(
        rng,
        (wide + 20, deep + 20),
        size_px,
        float(min(32, abs(rng.normal(14, 10)))) if rough else float(min(25, abs(rng.normal(8, 8)))),
        float(rng.uniform(55, 75)),
        float(rng.uniform(-0.06, 0.05)),
    )
    table = Table.start(rng, view, None, 2)
    shadow = (float(rng.normal(0, 0.8)), float(rng.normal(0, 0.8)), float(rng.uniform(0.1, 0.4)))
    truth = []
    for i, (name, picture) in enumerate(cards):
        row, column = divmod(i, columns)
        x = (column + 0.5) * (w + gap) + gap / 2 - wide / 2 + rng.uniform(-0.15, 0.15) * gap
        y = (row + 0.5) * (h + gap) + gap / 2 - deep / 2 + rng.uniform(-0.15, 0.15) * gap
        turn = np.radians(rng.normal(0, 2.2)) + (np.pi if rng.random() < _UPSIDE_DOWN else 0.0)
        if rough and rng.random() < _ASKEW:
            turn += np.radians(rng.uniform(-12, 12))
        table.lay(name, picture, size_mm, (float(x), float(y), float(turn)), radius_mm, 0.0, shadow)
        quad = table.cards[-1].quad_px
        truth.append({"id": name, "row": row, "column": column, "quad": np.round(quad, 2).tolist()})
    rgb, _ = table.finish(rng, random_sensor(rng, gentle=not rough))
    return rgb, truth


def write_case(
    rng: np.random.Generator, out: pathlib.Path, deck: pathlib.Path, again: int = 0, rough: bool = False
) -> None:
    """All cards of a deck, and `again` of them a second time in a last picture."""
    data = json.loads((deck / "deck.json").read_text())
    faces = [(f["id"], read(deck / f["image"])) for f in data["faces"]]
    faces = [faces[int(i)] for i in rng.permutation(len(faces))]
    size = (float(data["card_mm"][0]), float(data["card_mm"][1]))
    radius = float(data.get("corner_radius_mm", 3.0))
    batches = [(faces[i : i + 12], size, 4) for i in range(0, len(faces), 12)]
    if again:
        batches.append((faces[:again], size, 4))
    scoring = data.get("scoring_cards")
    if scoring:
        cards = [(f["id"], read(deck / f["image"])) for f in scoring["faces"]]
        batches.append((cards, (float(scoring["card_mm"][0]), float(scoring["card_mm"][1])), 5))
    out.mkdir(parents=True, exist_ok=True)
    photos: list[Json] = []
    for n, (cards, mm, columns) in enumerate(batches):
        rgb, truth = photograph(rng, cards, mm, radius, columns, rough=rough)
        cv2.imwrite(str(out / f"{n:02d}.jpg"), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
        photos.append({"photo": f"{n:02d}.jpg", "cards": truth})
    if data.get("board"):
        side = float(data["board"]["size_mm"])
        rgb, truth = photograph(rng, [("board", read(deck / data["board"]["image"]))], (side, side), 0.5, 1)
        cv2.imwrite(str(out / "board.jpg"), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
        photos.append({"photo": "board.jpg", "board": {"quad": truth[0]["quad"]}})
    record = {"game": data["game"], "deck": data["name"], "photos": photos}
    (out / "truth.json").write_text(json.dumps(record))


def main() -> None:
    """Write a case a deck."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--decks", type=pathlib.Path, nargs="+", required=True)
    a.add_argument("--again", type=int, default=0, help="cards that are photographed twice")
    a.add_argument("--rough", action="store_true", help="any lamp, held askew, some cards askew")
    a.add_argument("--seed", type=int, default=7)
    o = a.parse_args()
    link = o.out / "decks"
    link.mkdir(parents=True, exist_ok=True)
    for i, deck in enumerate(o.decks):
        if not (link / deck.name).exists():
            (link / deck.name).symlink_to(deck.resolve())
        write_case(np.random.default_rng([o.seed, i]), o.out / "enroll" / deck.name, deck, o.again, o.rough)


if __name__ == "__main__":
    main()
