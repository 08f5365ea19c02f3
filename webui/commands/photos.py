"""`referee judge` and `referee cards`: photographs in, JSON Lines out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from calibration.capture.ink import named_by_ink
from scoring.deck import Deck
from scoring.errors import RefereeError
from scoring.events import OptionValue
from vision.live import Eye, Observe
from vision.scene import Observation, SceneModel
from vision.sources.photos import load_photo
from vision.tracking.gate import Gate
from vision.tracking.recheck import CONTRADICTIONS
from vision.types import Failure, Frame, Rgb
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.scene import (
    observer,
    open_model,
    open_scene,
    options_of,
    seen_in,
    seen_over_time,
    tell,
)
from webui.reports import Json, Seen, card_list
from webui.sight.cameras.known_camera import STANDING
from webui.table.strangers import strangers
from webui.telling import report_of


def judge(args: argparse.Namespace, observe: Observe | None = None) -> int:
    """Judge settled photographs: each by itself, or as a sequence where the game is one."""
    scene = open_scene(args)
    if args.second is not None and scene.model.cactus is None:
        raise RefereeError(f"--second: a second view settles contacts of cactus; leave it out for {args.game}")
    judged = Judged(scene.model, scene.deck, args.photos, options_of(args), observe, args.second)
    for path, told in judged:
        tell({"photo": str(path), "game": args.game, **told})
    return judged.status


def cards(args: argparse.Namespace, observe: Observe | None = None) -> int:
    """Find the cards in any photographs."""
    model = open_model(args.deck, args)
    look = _telling(observe or observer())

    def cards_in(frame: Frame) -> Seen | Failure:
        seen = look(frame, model)
        return seen_in(seen if isinstance(seen, Failure) else named_by_ink(seen, frame.rgb, model.deck))

    photos = _Photos(args.photos, model, cards_in)
    for path, seen in photos:
        tell({"photo": str(path), "cards": card_list(seen.table.placements, seen.quads)})
    return photos.status


def _telling(observe: Observe) -> Observe:
    """The same look, which says where a photo contradicts the calibration."""

    def look(frame: Frame, model: SceneModel) -> Observation | Failure:
        seen = observe(frame, model)
        if not isinstance(seen, Failure) and seen.standing in CONTRADICTIONS:
            complain(f"{frame.source}: {STANDING[seen.standing]}")
        if not isinstance(seen, Failure) and seen.stage is not None and seen.stage.spare:
            complain(f"{frame.source}: two sets stand there and one is judged; draw the area of one with --area")
        return seen

    return look


class Judged:
    """Photographs of one table, judged: iterate for the path and the answer of each that can be used.

    Parameters
    ----------
    model
        What the eye knows.
    deck
        The deck on the table.
    photos
        Pictures from one camera in one place, in the order of time.
    options
        House rules.
    observe
        The close look; `vision.live.observe_any` unless another is given.
    second
        The table of the last photo from another place, where the game can use it.
    """

    def __init__(
        self,
        model: SceneModel,
        deck: Deck,
        photos: Sequence[Path],
        options: Mapping[str, OptionValue] | None = None,
        observe: Observe | None = None,
        second: Path | None = None,
    ) -> None:
        self._report = report_of(deck, options, turns=True)
        self._second_status = DONE
        look = _telling(observe or observer())
        if self._report.sequence:
            eye = Eye(model, look)
            last = len(photos) - 1
            self._photos = _Photos(
                photos, model, lambda frame: self._read(eye, frame, second if frame.index == last else None)
            )
        else:
            self._photos = _Photos(photos, model, lambda frame: seen_in(look(frame, model)))

    @property
    def status(self) -> int:
        """Exit status so far."""
        return max(self._photos.status, self._second_status)

    def _read(self, eye: Eye, frame: Frame, second: Path | None) -> Seen | Failure:
        """A photo of a sequence, and what a second one adds to it; where that is of no use it is said and left out."""
        seen = seen_over_time(eye.read(frame))
        if second is None or isinstance(seen, Failure):
            return seen
        try:
            both = seen_over_time(eye.second(Frame(load_photo(second), frame.at_s, frame.index, str(second))))
        except RefereeError as error:
            both = Failure(error.message.removeprefix(f"{second}: "))
        except Exception as error:  # a bug of ours must not cost what the first photo tells
            both = Failure(f"the referee failed on it ({type(error).__name__}: {error})")
        if isinstance(both, Failure):
            why = both.detail or both.reason
            complain(f"{second}: the second view is left out: {why}; take it of the same turn, from beside the first")
            self._second_status = UNUSABLE
            return seen
        return Seen(both.table, seen.quads, seen.overlooked)

    def __iter__(self) -> Iterator[tuple[Path, Json]]:
        waits: tuple[Path, Json] | None = None
        for path, seen in self._photos:
            told = self._report.tell(seen)
            self._report.accept(seen, told)
            if waits is not None:
                yield waits[0], told.before or waits[1]
            waits = (path, told.table) if told.open else None
            if waits is None:
                yield path, told.table
        if waits is not None:
            yield waits


class _Photos:
    """The photos that can be used, each with what was seen; one line of complaint for every other."""

    def __init__(self, paths: Sequence[Path], model: SceneModel, read: Callable[[Frame], Seen | Failure]) -> None:
        self._paths = paths
        self._model = model
        self._read = read
        self._board = model.deck is not None and model.deck.board is not None
        self._lacking: tuple[str, ...] = ()
        self.status = DONE

    def __iter__(self) -> Iterator[tuple[Path, Seen]]:
        hidden = not sys.stderr.isatty() or len(self._paths) < 2
        for n, path in enumerate(tqdm(self._paths, file=sys.stderr, unit="photo", disable=hidden)):
            try:
                rgb = load_photo(path)
                self._check_area(path, rgb)
                self._check_lens(path, rgb)
                seen = self._read(Frame(rgb, float(n), n, str(path)))
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
            if not seen.table.placements and seen.table.board is None and not seen.table.cacti:
                trouble = Gate().see(Frame(rgb)).trouble
                complain(f"{path}: no card found" + (f"; the picture is {trouble.value}" if trouble else ""))
            elif others := strangers(seen.table, board=self._board):
                name = self._model.deck.name if self._model.deck is not None else ""
                complain(
                    f"{path}: {others} cards lie there, none (or hardly one) of '{name}': is it another deck? "
                    "Name the folder of yours with --deck"
                )
            elif self._board and seen.table.board is None:
                complain(
                    f"{path}: the board is not found; cards are judged without it. Take the photo with the whole board"
                )
            self._tell_lacking(path, seen)
            yield path, seen

    def _tell_lacking(self, path: Path, seen: Seen) -> None:
        """Which cacti are not found, where those are others than on the photo before."""
        looks = self._model.cactus.cacti if self._model.cactus is not None and seen.table.cacti else ()
        lacking = tuple(c.id for c in looks if c.id not in seen.table.cacti)
        if lacking and lacking != self._lacking:
            complain(
                f"{path}: not found: {', '.join(lacking)}; what hangs there is not counted. "
                "Turn the cacti's faces to the camera, a little apart, with nothing before them"
            )
        self._lacking = lacking

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
