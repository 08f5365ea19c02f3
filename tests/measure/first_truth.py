"""What a person who has the game before them knows of it: what is on each part, and what a ruler says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.capture.cactus.sizes import height_mm, longest_mm

Json = dict[str, Any]
_RULER_MM = 0.5
"""So finely a person reads a ruler."""


class Truth:
    """What is really on the parts that were read, by where they were seen."""

    def __init__(self, case: Path, decks: Path, game: str) -> None:
        truth = json.loads((case / "truth.json").read_text())
        self.deck = json.loads((decks / Path(truth["deck"]).name / "deck.json").read_text())
        groups = [self.deck.get("faces", []), self.deck.get("pieces", []), self.deck.get("cacti", [])]
        groups.append(self.deck.get("scoring_cards", {}).get("faces", []))
        self._known = {f["id"]: f for group in groups for f in group}
        self._case, self.game = case, game
        self.photos = sorted(case.glob("[0-9]*.jpg"))
        self.board = case / "board.jpg" if (case / "board.jpg").exists() else None
        self._places = [
            (photo["photo"], np.mean(thing.get("quad") or thing["outline"], axis=0), thing["id"])
            for photo in truth["photos"]
            for thing in (*photo.get("cards", ()), *photo.get("pieces", ()), *photo.get("cacti", ()))
        ]

    def of(self, part: Json) -> Json:
        """The true fields of a part."""
        seen = part["sightings"][0]
        if part["group"] == "board":
            return dict(self.deck["board"])
        number = int(Path(seen["photo"]).stem)
        middle = np.mean(seen.get("quad") or seen["outline"], axis=0)
        scale = self._scale(number)
        near = [
            (float(np.hypot(*(np.asarray(at) - middle / scale))), name)
            for photo, at, name in self._places
            if photo == self.photos[number].name
        ]
        return dict(self._known[min(near)[1]])

    def measured(self, part: Json, field: str) -> dict[str, float]:
        """What a ruler says where the page asks for `field` of a part, by the ends of the names of its input fields."""
        real = self.of(part)
        match field:
            case "length_mm":
                found = {"length": longest_mm(real["outline"])}
            case "height_mm":
                found = {"height": height_mm(real["outline"])}
            case "base":
                found = {f"base-{k.removesuffix('_mm')}": v for k, v in self.deck["base"].items()}
            case "thickness_mm":
                found = {"thickness": self.deck["thickness_mm"]}
            case _:
                found = {}
        return {name: round(mm / _RULER_MM) * _RULER_MM for name, mm in found.items()}

    @property
    def tallest_mm(self) -> float:
        """How high the tallest cactus is over its base."""
        return round(max(height_mm(c["outline"]) for c in self.deck["cacti"]) / _RULER_MM) * _RULER_MM

    def _scale(self, number: int) -> float:
        picture = cv2.imread(str(self.photos[number]))
        assert picture is not None
        return float(min(1.0, 4000 / max(picture.shape[:2])))
