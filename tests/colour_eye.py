"""A deck, tables drawn with it, and an eye that knows its cards by their colour: for tests around the eye."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from scoring.table import Candidate, Placement, Pose, TableState
from vision.scene import Observation, SceneModel
from vision.types import Detection, Failure, Frame

ELEMENTS = ("fire", "water", "earth", "air", "magic")
CARD_MM = (45.0, 65.0)
PX_PER_MM = 1.6
CARD_PX = (round(CARD_MM[0] * PX_PER_MM), round(CARD_MM[1] * PX_PER_MM))
SIZE = (800, 480)
FACES = tuple(f"F{n}" for n in range(8))
"""Face n shows element n at its centre and asks for the next one, counted round; F6 and F7 are copies of F1 and F2."""
HUES = {face: 20 * n + 8 for n, face in enumerate((*FACES, "P9"))}
"""P9 is a scoring card of 9 points."""


def write_deck(folder: Path) -> Path:
    """Write the deck; returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    faces = []
    for n, face in enumerate(FACES):
        edge = {ELEMENTS[(n + 1) % 5]: 9, ELEMENTS[n % 5]: 7}
        faces.append({"id": face, "image": f"{face}.png", "center": ELEMENTS[n % 5], "edge": edge})
    deck = {
        "format": 1,
        "game": "rox",
        "name": "colours",
        "card_mm": CARD_MM,
        "corner_radius_mm": 3,
        "elements": ELEMENTS,
        "faces": faces,
        "scoring_cards": {"card_mm": CARD_MM, "faces": [{"id": "P9", "image": "P9.png", "value": 9}]},
    }
    (folder / "deck.json").write_text(json.dumps(deck))
    for face in HUES:
        bgr = cv2.cvtColor(np.ascontiguousarray(picture_of(face)), cv2.COLOR_RGB2BGR)
        cv2.imwrite(str(folder / f"{face}.png"), bgr)
    return folder


def picture_of(face: str) -> np.ndarray:
    """RGB picture of a card: light, with a patch of its colour."""
    w, h = CARD_PX
    hsv = np.full((h, w, 3), (0, 0, 205), np.uint8)
    hsv[h // 4 : 3 * h // 4, w // 4 : 3 * w // 4] = (HUES[face], 190, 190)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB))


def table(cards: Iterable[tuple[str, int, int]] = (), *, light: float = 0.85) -> np.ndarray:
    """RGB picture of a grey, grained table with cards, each given by face and its top-left corner in pixels."""
    w, h = SIZE
    grain = cv2.GaussianBlur(np.random.default_rng(3).normal(0, 1, (h, w)), (0, 0), sigmaX=30, sigmaY=2)
    grey = np.clip(110 + 160 * grain, 40, 180).astype(np.uint8)
    rgb = np.repeat(grey[:, :, None], 3, axis=2)
    for face, x, y in cards:
        rgb[y : y + CARD_PX[1], x : x + CARD_PX[0]] = picture_of(face)
    return np.clip(rgb * light, 0, 255).astype(np.uint8)


def with_arm(rgb: np.ndarray, reach: float, at_x: int = 560) -> np.ndarray:
    """The picture with a grey sleeve reaching in from above, by a share of its height."""
    out = rgb.copy()
    out[: int(rgb.shape[0] * reach), at_x : at_x + 130] = (70, 72, 70)
    return out


def south_row(faces: Sequence[str], left: int = 120) -> list[tuple[str, int, int]]:
    """A row along the lower side."""
    return [(face, left + n * (CARD_PX[0] + 14), SIZE[1] - CARD_PX[1] - 20) for n, face in enumerate(faces)]


def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
    """Find the cards by colour, as `vision.observe.observe` does by everything."""
    hsv = cv2.cvtColor(frame.rgb, cv2.COLOR_RGB2HSV)
    if hsv[:, :, 2].max() < 30:
        return Failure("dark", "nothing can be seen")
    found: list[tuple[Detection, Placement]] = []
    for face, hue in HUES.items():
        off = np.abs(hsv[:, :, 0].astype(int) - hue)
        patch = ((off < 7) & (hsv[:, :, 1] > 110)).astype(np.uint8)
        patch = cv2.morphologyEx(patch, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(patch)
        for x, y, w, h, area in stats[1:count]:
            if area < 0.6 * CARD_PX[0] * CARD_PX[1] / 4:
                continue
            centre = (x + w / 2, y + h / 2)
            pose = Pose(centre[0] / PX_PER_MM, centre[1] / PX_PER_MM, 0.0)
            piece = Placement(str(len(found)), face, pose, CARD_MM, 0.3, 0.99, (Candidate(face, 0.99),))
            quad = np.array(piece.corners()) * PX_PER_MM
            inside = model.area_px is None or cv2.pointPolygonTest(model.area_px.astype(np.float32), centre, False) >= 0
            if inside:
                found.append((Detection(quad, face, 0.99), piece))
    w, h = frame.rgb.shape[1] / PX_PER_MM, frame.rgb.shape[0] / PX_PER_MM
    pieces = tuple(piece for _, piece in found)
    view = ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h))
    return Observation(tuple(d for d, _ in found), TableState(pieces, view), frame.at_s)
