"""`referee judge` and `referee cards`: photographs in, JSON Lines out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from scoring.errors import RefereeError
from vision.gate import Gate
from vision.live import Observe
from vision.photos import load_photo
from vision.types import Failure, Frame, Observation, Rgb, SceneModel
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.scene import observer, open_model, open_scene, options_of, quads_of, tell
from webui.reports import card_list, report_of


def judge(args: argparse.Namespace, observe: Observe | None = None) -> int:
    """Judge settled photographs, each by itself."""
    scene = open_scene(args)
    report = report_of(args.game)
    options = options_of(args)
    photos = _Photos(args.photos, scene.model, observe or observer())
    for path, seen in photos:
        tell({"photo": str(path), "game": args.game, **report.table(seen.table, quads_of(seen), scene.deck, options)})
    return photos.status


def cards(args: argparse.Namespace, observe: Observe | None = None) -> int:
    """Find the cards in any photographs."""
    photos = _Photos(args.photos, open_model(args.deck, args), observe or observer())
    for path, seen in photos:
        tell({"photo": str(path), "cards": card_list(seen.table.placements, quads_of(seen))})
    return photos.status


class _Photos:
    """The photos that can be used, each with what was seen; one line of complaint for every other."""

    def __init__(self, paths: Sequence[Path], model: SceneModel, observe: Observe) -> None:
        self._paths = paths
        self._model = model
        self._observe = observe
        self.status = DONE

    def __iter__(self) -> Iterator[tuple[Path, Observation]]:
        hidden = not sys.stderr.isatty() or len(self._paths) < 2
        for n, path in enumerate(tqdm(self._paths, file=sys.stderr, unit="photo", disable=hidden)):
            try:
                rgb = load_photo(path)
                self._check_area(path, rgb)
                self._check_lens(path, rgb)
                seen = self._observe(Frame(rgb, float(n), n, str(path)), self._model)
            except RefereeError as error:
                self._unusable(error)
                continue
            except Exception as error:  # a bug of ours must not cost the other photos
                self._unusable(
                    f"{path}: the referee failed on this photo ({type(error).__name__}: {error}); "
                    f"pack it for a bug report: referee report {path}"
                )
                continue
            if isinstance(seen, Failure):
                detail = f" ({seen.detail})" if seen.detail else ""
                self._unusable(f"{path}: nothing can be judged: {seen.reason}{detail}; take the photo again")
                continue
            if not seen.table.placements:
                trouble = Gate().see(Frame(rgb)).trouble
                complain(f"{path}: no card found" + (f"; the picture is {trouble.value}" if trouble else ""))
            yield path, seen

    def _check_area(self, path: Path, rgb: Rgb) -> None:
        area = self._model.area_px
        height, width = rgb.shape[:2]
        if area is not None and (area.max(0).min() < 0 or area[:, 0].min() >= width or area[:, 1].min() >= height):
            raise RefereeError(
                f"{path}: --area lies beyond its {width} x {height} pixels; give it in pixels of the photo"
            )

    def _check_lens(self, path: Path, rgb: Rgb) -> None:
        camera = self._model.camera
        height, width = rgb.shape[:2]
        if camera is not None and abs(camera.size_px[0] / camera.size_px[1] - width / height) > 0.01 * width / height:
            raise RefereeError(
                f"{path}: --calibration belongs to pictures of {camera.size_px[0]} x {camera.size_px[1]} pixels, "
                f"this one has {width} x {height}; leave it out for photos of another shape"
            )

    def _unusable(self, what: object) -> None:
        complain(what)
        self.status = UNUSABLE
