"""The page's side of seeing: millimetres in the picture, the agreed border, recordings that wait."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.grades import Grade
from calibration.profile import Profile
from scoring.table import Placement, Pose, TableState
from tests.vision.flat_hung import cactus_set, hang, observation, picture
from vision.cactus.upright import HungPiece
from vision.camera import CameraModel
from vision.scene import Observation, SceneModel
from vision.sources.recorded import FileSource
from vision.types import Detection, Frame, Standing
from webui.sight.cameras.camera import TableEye
from webui.sight.cameras.known_camera import KnownCameras
from webui.sight.cameras.played import Played
from webui.table.director import Director, Pace, Script, Step
from webui.table.seeing import Sight

LENS = CameraModel((640, 360), np.array([[500.0, 0, 319.5], [0, 500.0, 179.5], [0, 0, 1]]), np.zeros(5))
OTHER = LENS.scaled(1280, 720)
SCALE = 2.0
VIEW = ((0.0, 0.0), (320.0, 0.0), (320.0, 180.0), (0.0, 180.0))


class Watcher:
    """An observer that sees two cards and remembers what it was told of the border."""

    def __init__(self) -> None:
        self.areas: list[np.ndarray | None] = []

    def __call__(self, frame: Frame, model: SceneModel) -> Observation:
        self.areas.append(model.area_px)
        pieces = (
            Placement("0", "A", Pose(80, 90, 0.3), (59, 92), 0.3),
            Placement("1", "B", Pose(200, 80, -1), (59, 92), 0.3),
        )
        seen = tuple(Detection(np.array(p.corners()) * SCALE, p.face, 0.99) for p in pieces)
        return Observation(seen, TableState(pieces, VIEW), frame.at_s)


def still(at_s: float = 0.0) -> Frame:
    return Frame(np.full((360, 640, 3), 120, np.uint8), at_s, round(at_s * 10))


def test_points_of_the_table_are_found_in_the_picture() -> None:
    """What the rules say in millimetres is drawn at its place in the picture."""
    reading = TableEye(SceneModel(), Watcher()).read(still()).reading
    assert reading is not None
    assert reading.project is not None
    point = (123.0, 61.0)
    np.testing.assert_allclose(reading.project([point]), [np.array(point) * SCALE], atol=0.1)


def test_border_goes_to_the_eye_and_back_to_what_was_said_first() -> None:
    """An agreed border holds from the next picture on; without one that of the command line does."""
    said = np.array([[0, 0], [600, 0], [600, 300], [0, 300.0]])
    watcher = Watcher()
    eye = TableEye(SceneModel(None, None, said), watcher)
    eye.read(still())
    eye.agree(((5, 5), (500, 5), (500, 250)))
    eye.read(still())
    eye.agree(())
    eye.read(still())
    first, second, third = watcher.areas
    assert first is said
    assert second is not None
    assert second.tolist() == [[5, 5], [500, 5], [500, 250]]
    assert third is said


def test_border_that_stays_the_same_forgets_nothing() -> None:
    """Agreeing to the border once more leaves the memory of the table alone."""
    eye = TableEye(SceneModel(), Watcher())
    border = ((5.0, 5.0), (500.0, 5.0), (500.0, 250.0))
    eye.agree(border)
    before = eye._eye
    eye.agree(border)
    assert eye._eye is before


def test_no_border_is_proposed_before_anything_was_seen() -> None:
    """Without a look there are no pieces to draw it round; a grey picture has none."""
    eye = TableEye(SceneModel(), Watcher())
    assert eye.propose_area(still()) == ()
    assert eye.size(still()) == (640, 360)
    eye.read(still())
    assert eye.propose_area(still()) == ()


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (64, 48))
    for n in range(30):
        writer.write(np.full((48, 64, 3), 5 * n, np.uint8))
    writer.release()
    return path


def played(film: Path, pace: Pace) -> Played:
    return Played(lambda: FileSource(str(film)), pace=pace, clock=lambda: 1e9)


def test_recording_waits_for_a_step_that_is_due(film: Path) -> None:
    """While the director is behind, the picture of now is shown again, and time is taken off the script's clock."""
    pace = Pace()
    source = played(film, pace)
    first = source.read(1.0)
    pace.behind = True
    again = [source.read(1.0) for _ in range(3)]
    pace.behind = False
    after = source.read(1.0)
    assert first is not None
    assert after is not None
    assert all(f is not None and (f.rgb == first.rgb).all() for f in again)
    assert pace.held_s == pytest.approx(3 * Played.REST_S)
    assert after.at_s - pace.held_s == pytest.approx(0.1, abs=0.02)
    numbers = [first.index, *(f.index for f in again if f is not None), after.index]
    assert numbers == sorted(set(numbers)), "a number that falls would mean that the recording began anew"


def test_recording_that_was_late_does_not_rush(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look that took three seconds the next frames come at their own pace again."""
    clock, waited = [0.0], []
    source = Played(lambda: FileSource(str(film)), clock=lambda: clock[0])

    def wait(s: float = 0.0) -> bool:
        waited.append(s)
        clock[0] += s
        return False

    monkeypatch.setattr(source._stop, "wait", wait)
    for late in (0.0, 3.0, 0.0, 0.0, 0.0):
        clock[0] += late
        source.read(0.1)
    assert waited == pytest.approx([0.0, 0.0, 0.1, 0.1, 0.1], abs=0.02)


def test_recording_that_people_took_over_from_is_over(film: Path) -> None:
    """It gives no picture any more, and says that it has ended."""
    pace = Pace()
    source = played(film, pace)
    assert source.read(1.0) is not None
    pace.frozen = True
    assert (source.read(1.0), str(source.state)) == (None, "ended")


def test_recording_does_not_run_ahead_of_the_eye(film: Path) -> None:
    """No frame is given out long before the one before it was looked at, so a slow computer misses no move."""
    pace = Pace(seen_s=0.0)
    source = played(film, pace)
    given = []

    def pump() -> None:
        while (frame := source.read(1.0)) is not None and frame.at_s < 1.0:
            given.append(frame.at_s)

    thread = threading.Thread(target=pump, daemon=True)
    thread.start()
    for seen_s, least_s in ((0.0, 0.1), (0.6, 0.7)):
        pace.seen_s = seen_s
        for _ in range(200):
            thread.join(0.05)
            if given and given[-1] > least_s:
                break
        thread.join(0.3)
        assert least_s < given[-1] < least_s + 0.3
    pace.seen_s = 99.0
    thread.join(20)
    assert not thread.is_alive()
    source.close()


def test_director_says_when_it_is_behind() -> None:
    """A step that could not be carried out holds the recording; once done it goes on, on the script's own clock."""
    pace = Pace()
    director = Director(Script({"south": "A", "west": "B"}, (Step(1.0, "draw"), Step(5.0, "draw"))), None, pace)
    assert director.due(1.1, "now") is not None
    assert not pace.behind
    assert director.due(2.5, "now") is not None
    assert pace.behind
    pace.held_s = 1.4
    director.done()
    assert not pace.behind
    assert director.due(6.0, "now") is None
    assert director.due(6.5, "now") is not None


class Kept(KnownCameras):
    """What is kept of two cameras, without a folder."""

    def __init__(self, **profiles: Profile) -> None:
        super().__init__()
        self.profiles = profiles

    def of(self, source: str) -> Profile | None:
        return self.profiles.get(source)


def test_each_camera_is_looked_at_with_its_own_calibration() -> None:
    """A phone that takes over has none of the camera's lens, and what is learned meanwhile holds at once."""
    lenses: list[CameraModel | None] = []

    def observe(frame: Frame, model: SceneModel) -> Observation:
        lenses.append(model.camera)
        return replace(Watcher()(frame, model), standing=Standing.MOVED)

    kept = Kept(desk=Profile(LENS, Grade.GOOD, 0.2, 0.9, 10, name="Desk"))
    eye = TableEye(SceneModel(), observe, cameras=kept)

    def look(source: str, begin: int) -> Sight:
        for n in range(begin, begin + 8):
            sight = eye.look(replace(still(n * 0.1), source=source))
        return sight

    sight = look("desk", 0)
    assert lenses == [LENS]
    assert sight.doubt == "camera-stands-elsewhere"
    look("phone", 20)
    assert lenses == [LENS, None]
    kept.profiles["phone"] = Profile(OTHER, Grade.GOOD, 0.2, 0.9, 10, name="Phone")
    kept.version += 1
    look("phone", 40)
    assert lenses == [LENS, None, OTHER]
    eye.read(replace(still(9.0), source="photo"))
    assert lenses[-1] is None


def test_recording_begins_where_it_was_left(film: Path) -> None:
    """It begins with the picture of that number, in its own time; behind its end, with its last one."""
    source = played(film, Pace())
    source.skip_to(12)
    frame = source.read(1.0)
    assert frame is not None
    assert (frame.index, source.place) == (12, 12)
    behind = played(film, Pace())
    behind.skip_to(500)
    last = [behind.read(1.0) for _ in range(3)]
    assert [f.index for f in last if f is not None] == [29, 30, 31]
    assert behind.place == 29, "its last picture stays that one, however long it is shown"


def test_photos_of_what_hangs_are_read_one_after_the_other() -> None:
    """A piece that one photo shows and the eye missed hangs on; another match, or another table, begins anew."""
    bar, hook, wedge = (
        hang("bar-red", "K2", (0, 70)),
        hang("hook-blue", "K3", (4, 80)),
        hang("wedge-green", "K4", (0, 60)),
    )
    gate, stair = hang("gate-orange", "K5", (10, 75)), hang("stair-blue", "K1", (0, 70))
    found: list[HungPiece] = []
    known: list[int] = []

    def observe(frame: Frame, model: SceneModel) -> Observation:
        known.append(len(model.hung))
        return observation(found)

    def read(there: list[HungPiece], sees: list[HungPiece]) -> list[str]:
        found[:] = sees
        reading = eye.read(Frame(picture(there), source="photo")).reading
        assert reading is not None
        assert reading.alone
        return sorted(str(p.face) for p in reading.table.placements)

    eye = TableEye(SceneModel(cactus=cactus_set()), observe)
    assert read([bar, hook], [bar, hook]) == ["bar-red", "hook-blue"]
    assert read([bar, hook, wedge], [bar, wedge]) == ["bar-red", "hook-blue", "wedge-green"]
    assert read([bar, wedge], [bar, wedge]) == ["bar-red", "wedge-green"]
    assert known == [0, 2, 3]
    eye.agree(())
    assert read([bar, hook], [bar]) == ["bar-red"], "another match"
    eye.agree(())
    read([bar, hook, wedge, gate], [bar, hook, wedge, gate])
    assert read([bar, hook, wedge, gate, stair], [stair]) == ["stair-blue"], "hardly anything was seen again"
