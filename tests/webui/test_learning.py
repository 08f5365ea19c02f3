"""Learning the camera on the page: the lesson itself, what is told of it, and what is kept."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.daylight import Light
from calibration.grades import Calibration, Grade, Shown
from calibration.profile import Profile
from calibration.shelf import find_for, save_named
from scoring.errors import RefereeError
from scoring.table import Point, Pose, TableState
from tests.calibration.test_daylight import chart
from tests.calibration.test_from_table import LENS, SIZE, plane
from tests.calibration.test_intrinsics import LENS as TRUE_LENS
from tests.calibration.test_intrinsics import POSES, photograph
from tests.webui.conftest import Table
from vision.deck import load_appearance
from vision.scene import Observation, SceneModel
from vision.types import Detection, Failure, Frame, Standing
from webui import create_app
from webui.camera.learning import ADVICE, PROBLEMS, WHITE_DOUBTS, Known, Lesson, Place, Stage
from webui.sight.cameras.kept_notes import load_notes, save_notes
from webui.sight.cameras.known_camera import PHONE, KnownCameras
from webui.sight.cameras.set_up import Notes
from webui.sight.cameras.teacher import CameraTeacher
from webui.sight.decks.folders import bundled_deck

KEPT = Profile(LENS, Grade.GOOD, 0.24, 0.9, 10, "phone", "My phone", PHONE, "2026-01-02T20:15:00+01:00", plane())
MORE_POSES = (
    *POSES,
    (20.0, 0.0, 60.0, -60.0, 10.0, 460.0),
    (-10.0, 30.0, 110.0, 60.0, -30.0, 470.0),
    (0.0, -20.0, 75.0, -150.0, -50.0, 640.0),
)
FLAT = (38.0, 0.0, 85.0, 20.0, 30.0, 620.0)


class Film:
    """Frames of a phone's camera: each time somebody looks there is a newer one; the last one stays."""

    def __init__(self, frames: Iterator[Frame]) -> None:
        self._frames = frames
        self._newest: Frame | None = None

    def __call__(self) -> Frame | None:
        self._newest = next(self._frames, self._newest)
        return self._newest


def target_film() -> Iterator[Frame]:
    """The target held still a moment on each side, and then laid down."""
    n = 0
    for where in (*MORE_POSES, FLAT):
        rgb = photograph(TRUE_LENS, where)
        for _ in range(30 if where == FLAT else 4):
            yield Frame(rgb, n * 0.15, n, PHONE)
            n += 1


def teacher(
    newest: Callable[[], Frame | None], folder: Path, cameras: KnownCameras | None = None, **more: object
) -> CameraTeacher:
    cameras = cameras or KnownCameras(folder=lambda: folder)
    given = {"model": SceneModel, "observe": lambda frame, model: Failure("nothing"), **more}
    return CameraTeacher(newest, cameras, folder=lambda: folder, **given)  # type: ignore[arg-type]


def ended(made: CameraTeacher, patience_s: float = 60.0) -> Lesson:
    """The lesson when it is over."""
    until = time.monotonic() + patience_s
    while made.lesson.stage in (Stage.SHOW, Stage.LAY, Stage.LOOK) and time.monotonic() < until:
        time.sleep(0.02)
    return made.lesson


def scattered(count: int, rng: np.random.Generator) -> tuple[Detection, ...]:
    """Cards of the bundled deck here and there on the table."""
    found: list[Detection] = []
    for look in [look for look in load_appearance(bundled_deck("rox")).looks if look.kind == "face"][:count]:
        pose = Pose(float(rng.uniform(-420, 420)), float(rng.uniform(-260, 200)), float(rng.uniform(0, 6.3)))
        quad = plane().quad_of(pose, look.size_mm)
        if (quad > 0).all() and (quad < SIZE).all():
            found.append(Detection(quad + rng.normal(0, 0.3, (4, 2)), look.id, 0.99, 1.0, 0.3))
    return tuple(found)


def test_the_target_teaches_lens_and_table_by_itself(tmp_path: Path) -> None:
    """Views are counted, the target is laid down, and what was learned is kept for this camera and used at once."""
    cameras = KnownCameras(folder=lambda: tmp_path)
    made = teacher(Film(target_film()), tmp_path, cameras)
    assert made.known() is None
    made.begin("target")
    over = ended(made)
    assert over.stage is Stage.DONE, over
    assert over.views >= 10
    assert cameras.version == 1
    kept = find_for(tmp_path, PHONE)
    assert kept is not None
    assert kept.table is not None
    assert kept.error_px < 0.5
    assert kept.camera.K[0, 0] == pytest.approx(800, rel=0.006)
    known = made.known()
    assert known is not None
    assert (known.grade, known.table, known.kept, known.doubt) == ("good", True, True, "")
    assert len(known.spots) > 50
    made.forget()
    assert made.known() is None
    assert cameras.version == 2


def test_the_table_teaches_without_any_print(tmp_path: Path) -> None:
    """One tap: the cards that lie there tell lens and table."""
    deck = load_appearance(bundled_deck("rox"))
    found = scattered(60, np.random.default_rng(2))
    table = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    knew: list[SceneModel] = []

    def observe(frame: Frame, model: SceneModel) -> Observation:
        knew.append(model)
        return Observation(found, table)

    frames = (Frame(np.full((1080, 1920, 3), 120, np.uint8), n * 0.1, n, PHONE) for n in range(1000))
    model = SceneModel(deck, LENS, table=plane())
    made = teacher(Film(frames), tmp_path, model=lambda: model, observe=observe)
    made.begin("table")
    assert ended(made).stage is Stage.DONE
    kept = find_for(tmp_path, PHONE)
    assert kept is not None
    assert kept.table is not None
    assert kept.camera.K[0, 0] == pytest.approx(1500, rel=0.02)
    assert all(m.camera is None and m.table is None for m in knew), "what was known before must not teach itself"


def test_the_table_alone_is_measured_before_a_known_lens(tmp_path: Path) -> None:
    """The lens stays as it was, what was set up stays, and the squares of the table are drawn from the new plane."""
    seen = scattered(40, np.random.default_rng(3))
    table = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    frames = (Frame(np.full((1080, 1920, 3), 120, np.uint8), n * 0.1, n, PHONE) for n in range(1000))
    model = SceneModel(load_appearance(bundled_deck("rox")))
    made = teacher(Film(frames), tmp_path, model=lambda: model, observe=lambda frame, model: Observation(seen, table))
    made.begin("plane")
    assert ended(made).problem == "no-lens"
    save_named(tmp_path, replace(KEPT, table=None, seats={"south": "Anna"}))
    made.begin("plane")
    assert ended(made).stage is Stage.DONE
    kept = find_for(tmp_path, PHONE)
    assert kept is not None
    assert kept.table is not None
    np.testing.assert_array_equal(kept.camera.K, LENS.K)
    assert (kept.seats, kept.grade) == ({"south": "Anna"}, Grade.GOOD)
    known = made.known()
    assert known is not None
    assert 0 < known.table_px < 2
    assert len(known.grid) == 22
    ends = np.array([known.grid[0][0], known.grid[0][-1]])
    assert np.linalg.norm(np.diff(plane().unproject(ends), axis=0)) == pytest.approx(500, rel=0.01)


def test_what_is_set_up_before_the_lens_is_kept_with_it(tmp_path: Path) -> None:
    """Seats, area and white hold without a profile, and go into the one that is learned later, in its pixels."""
    rgb = np.full((540, 960, 3), 250, np.uint8)
    made = teacher(lambda: Frame(rgb, 0.0, 0, PHONE), tmp_path)
    made.sit({"west": "Ben"})
    made.agree(((10.0, 10.0), (900.0, 10.0), (900.0, 500.0)), (960, 540))
    assert made.point_at_white(0.5, 0.5) == ""
    place = made.place()
    assert (place.seats, place.white, place.seen_on, place.kept) == ({"west": "Ben"}, (250, 250, 250), "paper", True)
    # Another start of the program knows it, too.
    after = teacher(lambda: Frame(rgb, 0.0, 0, PHONE), tmp_path).place()
    assert (after.seats, after.area, after.area_size) == (place.seats, place.area, (960, 540))
    assert (after.white, after.kept) == ((250, 250, 250), True)
    assert teacher(lambda: Frame(rgb, 0.0, 0, "0"), tmp_path).place().seats == {}
    assert place.stands
    assert place.area_in((1920, 1080))[1] == (1800.0, 20.0)
    assert place.area_in((1080, 1920)) == ()
    save_named(tmp_path, KEPT)
    made.sit({"west": "Ben"})
    made.agree(place.area, (960, 540))
    kept = find_for(tmp_path, PHONE)
    assert kept is not None
    np.testing.assert_allclose(kept.area_px[1], [1800.0, 20.0])
    assert made.place().kept
    assert list((tmp_path / "set-up").iterdir()) == [], "it is kept in one place only"
    # The next evening only a table that is found as it was tells that the camera was not moved.
    again = Frame(rgb, 0.0, 0, PHONE)
    assert not teacher(lambda: again, tmp_path).place().stands
    assert teacher(lambda: again, tmp_path, standing=lambda: Standing.AS_CALIBRATED).place().stands
    rgb[:] = 0
    assert made.point_at_white(0.5, 0.5) == "no-white"


def test_a_white_that_the_cards_contradict_is_refused(tmp_path: Path) -> None:
    """Pale blue beside white cards is no white; the cards' own white is, in a warm light too."""
    look = next(look for look in load_appearance(bundled_deck("rox")).looks if look.kind == "face")
    face = cv2.resize(look.colour, (300, 460), interpolation=cv2.INTER_AREA)
    rgb = np.full((600, 800, 3), 90, np.uint8)
    rgb[70:530, 200:500] = face
    rgb[400:600, 600:800] = (180, 205, 245)
    rgb[0:200, 600:800] = 235
    rgb = (rgb * np.array([1.0, 0.86, 0.66])).astype(np.uint8)
    quad = np.array([[200, 70], [500, 70], [500, 530], [200, 530]]) - 0.5
    frame = Frame(rgb, 0.0, 0, PHONE)
    table = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    model = SceneModel(load_appearance(bundled_deck("rox")))
    seen = Observation((Detection(quad, look.id, 0.99),), table)
    made = teacher(lambda: frame, tmp_path, model=lambda: model, seen=lambda: (frame, seen))
    assert made.point_at_white(0.9, 0.9) == "white-tinted"
    assert made.place().white is None
    assert made.point_at_white(0.9, 0.1) == ""
    assert made.place().white is not None
    # What much of the picture outshines is no white, whatever lies there.
    dark = teacher(
        lambda: Frame(np.where(rgb[..., :1] > 170, rgb, [70, 50, 30]).astype(np.uint8), 0.0, 0, PHONE), tmp_path
    )
    assert dark.point_at_white(0.1, 0.95) == "no-white"
    # Where no card tells, it is taken and told.
    assert teacher(lambda: frame, tmp_path).point_at_white(0.9, 0.9) in WHITE_DOUBTS
    assert teacher(lambda: frame, tmp_path).place().white is not None


def test_a_single_photo_is_refused_at_once(tmp_path: Path) -> None:
    """No lesson of the lens begins with one, nor where the pictures stopped coming; light is measured all the same."""
    frame = Frame(np.zeros((108, 192, 3), np.uint8), 0.0, 0, "photo")
    alone = teacher(lambda: frame, tmp_path)
    for what in ("target", "table", "plane"):
        with pytest.raises(RefereeError) as refused:
            alone.begin(what)
        assert refused.value.message == PROBLEMS["single-photo"]
        assert alone.lesson == Lesson()
    alone.begin("white")
    assert ended(alone).problem == "no-white"
    mirrored = teacher(lambda: replace(frame, rgb=np.ascontiguousarray(chart()[:, ::-1])), tmp_path)
    mirrored.begin("white")
    assert ended(mirrored).problem == "mirrored"
    stopped = teacher(lambda: replace(frame, source="0"), tmp_path, fresh=lambda: False)
    with pytest.raises(RefereeError) as refused:
        stopped.begin("table")
    assert refused.value.message == PROBLEMS["no-picture"]


def test_what_is_set_up_while_a_lesson_looks_is_kept(tmp_path: Path) -> None:
    """People go on to seats and area while the table is measured: the lesson keeps what they said."""
    seen = scattered(40, np.random.default_rng(3))
    table = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    frames = (Frame(np.full((1080, 1920, 3), 120, np.uint8), n * 0.1, n, PHONE) for n in range(1000))
    model = SceneModel(load_appearance(bundled_deck("rox")))

    def observe(frame: Frame, model: SceneModel) -> Observation:
        made.sit({"south": "Anna"})
        return Observation(seen, table)

    save_named(tmp_path, replace(KEPT, table=None))
    made = teacher(Film(frames), tmp_path, model=lambda: model, observe=observe)
    made.begin("plane")
    assert ended(made).stage is Stage.DONE
    kept = find_for(tmp_path, PHONE)
    assert kept is not None
    assert kept.table is not None
    assert kept.seats == {"south": "Anna"}


def test_two_browsers_set_up_one_camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seats from one and the area from another at the same moment: neither is lost."""
    save_named(tmp_path, KEPT)
    rgb = np.zeros((1080, 1920, 3), np.uint8)
    made = teacher(lambda: Frame(rgb, 0.0, 0, PHONE), tmp_path)
    monkeypatch.setattr("os.fsync", lambda handle: time.sleep(0.1))  # a slow disk
    area = ((10.0, 10.0), (900.0, 10.0), (900.0, 500.0))
    sent = [threading.Thread(target=made.sit, args=({"west": "Ben"},))]
    sent.append(threading.Thread(target=made.agree, args=(area, (1920, 1080))))
    for thread in sent:
        thread.start()
    for thread in sent:
        thread.join()
    assert (made.place().seats, made.place().area) == ({"west": "Ben"}, area)


def test_white_and_the_decks_colours_are_measured_in_one_look(tmp_path: Path) -> None:
    """Cards tell both, before any lens is known; an empty table tells what to do."""
    look = next(look for look in load_appearance(bundled_deck("rox")).looks if look.kind == "face")
    face = cv2.resize(look.colour, (300, 460), interpolation=cv2.INTER_AREA)
    rgb = np.full((600, 800, 3), 90, np.uint8)
    rgb[70:530, 200:500] = face
    quad = np.array([[200, 70], [500, 70], [500, 530], [200, 530]]) - 0.5
    table = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    found = [Detection(quad, look.id, 0.99)]
    model = SceneModel(load_appearance(bundled_deck("rox")))
    made = teacher(
        Film(Frame(rgb, n * 0.1, n, PHONE) for n in range(1000)),
        tmp_path,
        model=lambda: model,
        observe=lambda frame, model: Observation(tuple(found), table),
        names=lambda: {look.id: "fire"},
    )
    made.begin("white")
    assert ended(made).stage is Stage.DONE
    place = made.place()
    assert place.seen_on == "cards"
    assert [s.name for s in place.shades] == ["fire"]
    assert max(abs(a - b) for a, b in zip(place.shades[0].known, place.shades[0].seen, strict=True)) < 25
    found.clear()
    made.begin("white")
    assert (ended(made).problem, made.place().shades) == ("no-white", ())


def test_a_folder_that_takes_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept is said in one sentence of the page."""
    save_named(tmp_path, KEPT)
    made = teacher(lambda: Frame(np.zeros((1080, 1920, 3), np.uint8), 0.0, 0, PHONE), tmp_path)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RefereeError) as refused:
        made.sit({"west": "Ben"})
    assert refused.value.message == PROBLEMS["held"]
    assert made.place().seats == {"west": "Ben"}, "it holds until the program ends"
    assert not made.place().kept
    monkeypatch.undo()
    made.agree(((10.0, 10.0), (900.0, 10.0), (900.0, 500.0)), (1920, 1080))
    assert (made.place().seats, made.place().kept) == ({"west": "Ben"}, True)
    kept = find_for(tmp_path, PHONE)
    assert kept is not None
    assert kept.seats == {"west": "Ben"}


def test_notes_that_were_changed_by_hand_are_none(tmp_path: Path) -> None:
    """A damaged file, or one of another camera, is as if nothing had been set up."""
    save_notes(tmp_path, "desk", Notes({"south": "Anna"}))
    (file,) = tmp_path.iterdir()
    assert load_notes(tmp_path, "desk").seats == {"south": "Anna"}
    whole = file.read_text()
    for text in ("", "[]", whole.replace("desk", "other"), whole.replace("{", '{"area_px": [[1]], "size_px": 3, ', 1)):
        file.write_text(text)
        assert load_notes(tmp_path, "desk").seats == {}


def test_an_empty_table_teaches_nothing_and_says_so(tmp_path: Path) -> None:
    """Too few cards fail with what to do; nothing is kept."""
    table = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    frames = (Frame(np.full((108, 192, 3), 120, np.uint8), n * 0.1, n, PHONE) for n in range(1000))
    made = teacher(Film(frames), tmp_path, observe=lambda frame, model: Observation((), table))
    made.begin("table")
    over = ended(made)
    assert (over.stage, over.problem) == (Stage.FAILED, "too-few-cards")
    assert list(tmp_path.iterdir()) == []


def test_a_lesson_needs_a_picture_and_can_be_stopped(tmp_path: Path) -> None:
    """Without a camera it does not begin; a stopped one keeps nothing and says nothing more."""
    with pytest.raises(RefereeError):
        teacher(lambda: None, tmp_path).begin("target")
    frames = (Frame(np.full((108, 192, 3), 120, np.uint8), n * 0.1, n, PHONE) for n in range(100000))
    made = teacher(Film(frames), tmp_path)
    made.begin("target")
    assert made.lesson.stage is Stage.SHOW
    made.stop()
    time.sleep(0.1)
    assert made.lesson == Lesson()
    assert list(tmp_path.iterdir()) == []


def test_what_the_command_line_named_is_not_forgotten_here(tmp_path: Path) -> None:
    """A file of the person's own is shown and left alone; what contradicts it is told."""
    frames = iter([Frame(np.zeros((108, 192, 3), np.uint8), 0.0, 0, "0")])
    cameras = KnownCameras(replace(KEPT, camera_id=""), lambda: tmp_path)
    save_named(tmp_path, KEPT)
    made = teacher(Film(frames), tmp_path, cameras, standing=lambda: Standing.MOVED)
    known = made.known()
    assert known is not None
    assert (known.kept, known.doubt) == (False, "camera-stands-elsewhere")
    made.forget()
    assert find_for(tmp_path, PHONE) is not None


def test_every_advice_and_failure_has_its_words() -> None:
    """Whatever calibration may advise is translated, so no reader gets half a page in another language."""
    poor = Calibration(LENS, 9.0, 0.1, 0.5, ("a",))
    said = {line for shown in Shown for line in replace(poor, shown=shown).advice()}
    assert not any("the target " in line for line in replace(poor, shown=Shown.CACTI).advice())
    said.update(Light((255.0, 255.0, 250.0), "cards", 0.6).advice())
    for white in ((40, 38, 35), (240, 200, 150), (150, 180, 240), (150, 240, 140)):
        said.update(Light((float(white[0]), float(white[1]), float(white[2])), "cards").advice())
    assert len(said) == 14
    assert said <= set(ADVICE)
    assert {"too-few-views", "no-solution", "too-few-cards", "no-cacti", "poor"} <= set(PROBLEMS)


@dataclass
class FakeTeacher:
    """Remembers what it was asked."""

    lesson: Lesson = field(default_factory=Lesson)
    asked: list[str] = field(default_factory=list)
    of: Known | None = None
    kept: bytes = b""
    here: Place = field(default_factory=Place)
    fails: str = ""

    def _fail(self) -> None:
        if self.fails:
            raise RefereeError(self.fails)

    def place(self) -> Place:
        return self.here

    def sit(self, seats: Mapping[str, str]) -> None:
        self.here = replace(self.here, seats=seats)
        self._fail()

    def agree(self, area: tuple[Point, ...], size: tuple[int, int]) -> None:
        self.here = replace(self.here, area=area, area_size=size)
        self._fail()

    def point_at_white(self, x: float, y: float) -> str:
        self.asked.append(f"white at {x:.2f} {y:.2f}")
        if y > 0.5:
            return "no-white"
        if x > 0.9:
            return "white-tinted"
        self.here = replace(self.here, white=(230, 225, 210), seen_on="paper")
        return "white-coloured" if x > 0.8 else ""

    def described(self) -> bytes:
        return self.kept

    def known(self) -> Known | None:
        return self.of

    def begin(self, what: str) -> None:
        self._fail()
        self.asked.append(what)
        self.lesson = Lesson(Stage.SHOW, 3, 10, found=True, what=what)

    def stop(self, patience_s: float = 2.0) -> None:
        self.asked.append("stop")

    def forget(self) -> None:
        self.asked.append("forget")

    def target(self, paper: str) -> bytes:
        return b"%PDF " + paper.encode()


@pytest.fixture
def page(table: Table) -> tuple[Table, FakeTeacher]:
    """A table whose camera can be learned."""
    fake = FakeTeacher()
    services = dataclasses.replace(table.app.extensions["referee"], teacher=fake)
    table.app = create_app(services)
    table.client = table.app.test_client()
    return table, fake


def test_camera_page_tells_what_is_known(page: tuple[Table, FakeTeacher]) -> None:
    """Nothing known is no fault; a grade comes with its age and its misses; a doubt is told."""
    table, fake = page
    text = table.client.get("/camera").text
    assert "nothing is needed" in text
    assert 'value="forget"' not in text
    fake.of = Known(
        "Desk", "usable", 1.26, "2026-01-02T20:15:00+01:00", SIZE, False, ((10, 20, 0.5, 1.0),), True, "lens-changed"
    )
    text = table.client.get("/camera").text
    for said in (
        "<strong>Desk</strong>",
        "usable",
        "1.3 pixels",
        "2026-01-02",
        "20:15",
        "zoomed",
        'x2="22"',
        'y2="45"',
    ):
        assert said in text
    assert 'value="forget"' in text


def test_a_lesson_is_one_tap_and_told_while_it_goes_on(page: tuple[Table, FakeTeacher]) -> None:
    """The views are counted, and the page offers to stop; another tap is refused as nonsense."""
    table, fake = page
    token = table.token()
    assert table.client.post("/camera/lesson", data={"what": "target", "token": token}).status_code == 303
    told = table.client.get("/camera/lesson").json
    assert told is not None
    assert (told["running"], told["count"]) == (True, "3 of 10 good views")
    assert "hold it still" in told["sentence"]
    assert 'value="stop"' in table.client.get("/camera").text
    fake.lesson = Lesson(Stage.FAILED, problem="poor", advice=(ADVICE[4],))
    text = table.client.get("/camera").text
    assert "nothing was kept" in text
    assert ADVICE[4] in text
    for what, status in (("table", 303), ("stop", 303), ("forget", 303), ("everything", 400)):
        assert table.client.post("/camera/lesson", data={"what": what, "token": token}).status_code == status
    assert fake.asked == ["target", "table", "stop", "forget"]
    assert table.client.post("/camera/lesson", data={"what": "forget"}).status_code == 403


def test_the_target_is_printed_from_the_page(page: tuple[Table, FakeTeacher]) -> None:
    """On either paper; a table that plays a recording has no lesson at all."""
    table, _ = page
    assert table.client.get("/camera/target.pdf").data == b"%PDF A4"
    assert table.client.get("/camera/target.pdf?paper=Letter").data == b"%PDF Letter"
    assert table.client.get("/camera/target.pdf").mimetype == "application/pdf"


def test_a_recording_has_nothing_to_learn(table: Table) -> None:
    """Without a camera of its own the page offers no lesson."""
    assert "Learn with" not in table.client.get("/camera").text
    assert table.client.get("/camera/lesson").status_code == 404


def test_lessons_that_begin_at_once_leave_one(tmp_path: Path) -> None:
    """However many people tap at the same moment, and it ends when it is told to."""
    frame = Frame(np.zeros((90, 160, 3), np.uint8), 0.0, 0, PHONE)
    made = teacher(lambda: frame, tmp_path)
    started = threading.Barrier(8)

    def begin() -> None:
        started.wait()
        made.begin("target")

    before = {t.ident for t in threading.enumerate()}
    taps = [threading.Thread(target=begin) for _ in range(8)]
    for t in taps:
        t.start()
    for t in taps:
        t.join()
    made.stop()
    time.sleep(0.3)
    assert [t for t in threading.enumerate() if t.name == "teacher" and t.ident not in before] == []
