"""How well own copies of Rox and CONEX are learned: photographs of laid-out cards, read blind and held against truth.

    python -m tests.measure.enroll CASES [--only NAME*] [--learned DIR] [--misses 8]

`CASES` is what ``python -m tests.render.enroll_cards CASES --decks DECK ...`` has drawn, or any folder of cases in that
form. One example of each kind is named, as a person names it. Prints a table in Markdown. With `--learned` each deck is
written to ``DIR/decks`` under the true names of its faces, what was asked answered by the truth; tables that were drawn
with the true deck are linked beside it: ``python -m tests.measure.rox DIR``, or ``conex DIR``, judges them with it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from calibration.capture.deck import Enrolled, Example, Part, Photo, Wishes, save_enrolled
from tests.measure.rox import Share
from tests.render.enroll_cards import read
from vision.cards.quads import overlap
from webui.sight.copies.readers import READERS

Json = dict[str, Any]

EXACT, SAME = 0.95, 0.7
"""Overlap (IoU) from which an outline is found, and from which it is the same card."""
REGION = 0.85
"""Overlap from which a corner's outline is right."""


@dataclass(slots=True)
class Figures:
    """What was counted of one copy."""

    found: Share = field(default_factory=Share)
    fields: dict[str, Share] = field(default_factory=dict)
    unasked: Share = field(default_factory=Share)
    unasked_turned: Share = field(default_factory=Share)
    asked: Share = field(default_factory=Share)
    together: Share = field(default_factory=Share)
    invented: int = 0
    missed: list[str] = field(default_factory=list)

    def count(self, name: str, hit: bool, hit_turned: bool, asked: bool, place: str) -> None:
        """One thing that must be read; `hit_turned`: right, or right on its head."""
        self.fields.setdefault(name, Share()).count(hit)
        self.unasked.count(not hit and not asked)
        self.unasked_turned.count(not hit_turned and not asked)
        if not hit_turned:
            self.missed.append(f"{name}{' (asked)' if asked else ''}: {place}")

    def lines(self) -> Iterable[str]:
        """The figures as a table in Markdown."""
        yield "| figure | measured |"
        yield "|---|---|"
        yield f"| found (IoU ≥ {EXACT}) | {self.found} |"
        for name, share in self.fields.items():
            yield f"| {name} | {share} |"
        yield f"| wrong and not asked | {self.unasked} |"
        yield f"| – where half a turn is no fault | {self.unasked_turned} |"
        yield f"| asked one by one | {self.asked} |"
        yield f"| asked all together | {self.together} |"
        yield f"| outlines where no card lies | {self.invented} |"


def faces_by_id(deck: Json) -> dict[str, Json]:
    """The faces of a deck, the scoring cards' too."""
    return {f["id"]: f for f in (*deck["faces"], *deck.get("scoring_cards", {}).get("faces", []))}


def examples(truth: Json, faces: Mapping[str, Json], names: Sequence[str]) -> tuple[Example, ...]:
    """The middle of the first card of each kind."""
    out: dict[str, Example] = {}
    for photo in truth["photos"]:
        for card in photo.get("cards", []):
            face = faces[card["id"]]
            kind = face.get("center") if truth["game"] == "rox" else None if face["symbol"] else face["color"]
            if kind is not None:
                x, y = np.mean(card["quad"], axis=0)
                out.setdefault(kind, Example(kind, names.index(photo["photo"]), (float(x), float(y))))
    return tuple(out.values())


def learn(case: Path, truth: Json, deck: Json) -> Enrolled:
    """The copy as `referee enroll` reads it."""
    names = [p["photo"] for p in truth["photos"] if "board" not in p]
    board = case / "board.jpg"
    size = (float(deck["card_mm"][0]), float(deck["card_mm"][1]))
    wishes = Wishes(
        size,
        examples(truth, faces_by_id(deck), names),
        board=Photo(board.name, read(board)) if board.exists() else None,
    )
    return READERS[truth["game"]]([Photo(n, read(case / n)) for n in names], wishes, lambda _: None)


def turned(region: Sequence[Sequence[float]], size_mm: Sequence[float]) -> list[list[float]]:
    """A region of a card that lies on its head."""
    return np.round(np.subtract(size_mm, region), 2).tolist()  # type: ignore[no-any-return]


def _iou(a: Any, b: Any) -> float:
    return float(overlap(np.asarray(a, np.float64), np.asarray(b, np.float64)))


def _regions(face: Json, said: Json, size_mm: Sequence[float], head: bool) -> list[float]:
    seen = [turned(c["region"], size_mm) if head else c["region"] for c in said.get("corners") or []]
    return [max((_iou(c["region"], r) for r in seen), default=0.0) for c in face["corners"]]


def _on_its_head(face: Json, said: Json, size_mm: Sequence[float]) -> bool:
    return sum(_regions(face, said, size_mm, True)) > sum(_regions(face, said, size_mm, False))


def compare(figures: Figures, face: Json, said: Json, size_mm: Sequence[float]) -> None:
    """Count what was read of one face."""
    asked = set(said["asks"])

    def count(name: str, hit: bool, place: str) -> None:
        figures.count(name, hit, hit, name in asked, place)

    for name in ("center", "edge", "value", "color", "symbol"):
        if name in face:
            want, got = ({k: v for k, v in x.items() if v} if name == "edge" else x for x in _both(face, said, name))
            count(name, want == got, f"{face['id']} {want} read {got}")
    if "corners" in face:
        want, got = (sorted((c["color"], str(c["value"])) for c in x or []) for x in _both(face, said, "corners"))
        count("corners", want == got, f"{face['id']} {want} read {got}")
        plain, head = (_regions(face, said, size_mm, h) for h in (False, True))
        best = head if sum(head) > sum(plain) else plain
        for a, b in zip(plain, best, strict=True):
            place = f"{face['id']} {b:.3f}"
            figures.count(f"corner region IoU ≥ {REGION}", a >= REGION, b >= REGION, "corners" in asked, place)


def _both(face: Json, said: Json, name: str) -> tuple[Any, Any]:
    empty: Any = {} if name == "edge" else None
    return face[name] or empty, said.get(name) or empty


def measure(truth: Json, deck: Json, enrolled: Enrolled) -> tuple[Figures, dict[str, str]]:
    """The figures of one copy, and which true face each part is."""
    figures, faces, names = Figures(), faces_by_id(deck), {}
    where = [(Path(s["photo"]).name, s["quad"], p) for p in enrolled.parts for s in p.sightings]
    met = set()
    for photo in truth["photos"]:
        for card in photo.get("cards", []):
            seen = [(_iou(card["quad"], q), k) for k, (name, q, _) in enumerate(where) if name == photo["photo"]]
            best, k = max(seen, default=(0.0, -1))
            figures.found.count(best >= EXACT)
            if best < EXACT:
                figures.missed.append(f"found: {photo['photo']} {card['id']} {best:.3f}")
            if best < SAME:
                continue
            met.add(k)
            part = where[k][2]
            names[part.id] = card["id"]
            compare(figures, faces[card["id"]], part.told(), deck["card_mm"])
    figures.invented = len(where) - len(met)
    for part in enrolled.parts:
        figures.asked.count(bool(part.asks))
        figures.together.count(bool(part.taken) and not part.asks)
    return figures, names


def renamed(part: Part, face: Json, size_mm: Sequence[float]) -> Part:
    """A part under its true name, way up and order of corners; what was asked is answered."""
    fields: Json = {**part.fields, **{k: face[k] for k in part.asks if k != "corners"}, "id": face["id"]}
    picture = part.picture
    if "corners" in face:
        own = [dict(c) for c in fields["corners"]]
        if _on_its_head(face, fields, size_mm) and picture is not None:
            own = [{**c, "region": turned(c["region"], size_mm)} for c in own]
            picture = np.ascontiguousarray(picture[::-1, ::-1])
        ordered = []
        for corner in face["corners"]:
            near = max(own, key=lambda c, r=corner["region"]: _iou(r, c["region"]), default=None)  # type: ignore[misc]
            if near is not None and _iou(near["region"], corner["region"]) > 0:
                own.remove(near)
                ordered.append(
                    {**near, **({k: corner[k] for k in ("color", "value")} if "corners" in part.asks else {})}
                )
            elif "corners" in part.asks:
                ordered.append(corner)
        fields["corners"] = ordered if "corners" in part.asks else [*ordered, *own]
    return replace(part, id=face["id"], fields=fields, picture=picture)


def keep(case: Path, truth: Json, deck: Json, enrolled: Enrolled, names: Mapping[str, str], out: Path) -> None:
    """Write the learned deck under the true names, and link the tables that were drawn with the true one."""
    faces = faces_by_id(deck)
    parts = [renamed(p, faces[names[p.id]], deck["card_mm"]) for p in enrolled.parts if p.id in names]
    own: Json = {**enrolled.deck, "name": deck["name"], "faces": [p.fields for p in parts if p.group == "faces"]}
    if "scoring_cards" in own:
        own["scoring_cards"] = {**own["scoring_cards"], "faces": [p.fields for p in parts if p.group == "scoring"]}
    if "pawns" in deck:
        own["pawns"] = deck["pawns"]
    if "board" in own:
        side = deck["board"]["size_mm"] if enrolled.board is not None and "size_mm" in enrolled.board.asks else None
        if side is not None:
            own["board"] = _of_size(own["board"], side)
        own["board"]["spaces"] = _in_order(own["board"], deck["board"])
    save_enrolled(replace(enrolled, deck=own, parts=tuple(parts)), out / "decks" / truth["deck"])
    tables = (case.parents[1] / truth["game"]).resolve()
    if tables.is_dir() and not (out / truth["game"]).exists():
        (out / truth["game"]).symlink_to(tables)


def _of_size(board: Json, side_mm: float) -> Json:
    """The same board of another size."""
    larger = side_mm / board["size_mm"]

    def scaled(points: Any) -> Any:
        return np.round(np.multiply(points, larger), 2).tolist()

    board = {k: v for k, v in board.items() if k != "size_taken"}
    spaces = [{**s, "region": scaled(s["region"])} for s in board["spaces"]]
    track = {"track": scaled(board["track"])} if "track" in board else {}
    return {**board, "size_mm": side_mm, "spaces": spaces, **track}


def _in_order(board: Json, true: Json) -> list[Json]:
    """A board's spaces in the order of the true ones."""

    def middle(space: Json, side: float) -> Any:
        return np.mean(space["region"], axis=0) / side

    return [
        min(
            board["spaces"],
            key=lambda s, t=t: float(  # type: ignore[misc]
                np.hypot(*(middle(s, board["size_mm"]) - middle(t, true["size_mm"])))
            ),
        )
        for t in true["spaces"]
    ]


def run() -> None:
    """Learn every copy and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", default="*", help="names of cases to take, with * for anything")
    parser.add_argument("--learned", type=Path, help="folder for the decks as learned")
    parser.add_argument("--misses", type=int, default=8, help="how many misses of each copy to print")
    options = parser.parse_args()
    cases = sorted(p.parent for p in (options.cases / "enroll").glob(f"{options.only}/truth.json"))
    if not cases:
        parser.error(f"no cases in {options.cases / 'enroll'}")
    for case in tqdm(cases, unit="copy", leave=False):
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        if truth["game"] not in ("rox", "conex"):
            continue
        folder = options.cases / "decks" / truth["deck"]
        deck = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
        enrolled = learn(case, truth, deck)
        figures, names = measure(truth, deck, enrolled)
        tqdm.write("\n".join(["", f"{case.name}", "", *figures.lines(), *figures.missed[: options.misses]]))
        for remark in enrolled.remarks:
            tqdm.write(remark)
        if options.learned is not None:
            keep(case, truth, deck, enrolled, names, options.learned)


if __name__ == "__main__":
    run()
