"""The gate: still or moving, usable or not, what changed, and what only looks like a change."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.tracking.change import Change
from vision.tracking.gate import Disturbance, Gate, Glance, Trouble, Word
from vision.types import Frame

WIDTH, HEIGHT, FPS = 640, 360, 15
Picture = np.ndarray
CARD = (90, 130)


@pytest.fixture
def table() -> Picture:
    """A grained table with three cards on it."""
    rng = np.random.default_rng(5)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (HEIGHT, WIDTH)), (0, 0), sigmaX=25, sigmaY=1.5)
    picture = np.full((HEIGHT, WIDTH, 3), (130, 95, 60), float) + 90 * grain[:, :, None]
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    for n, at in enumerate(((60, 180), (170, 185), (280, 180))):
        lay(picture, at, n)
    return picture


def lay(picture: Picture, at: tuple[int, int], face: int) -> None:
    """Lay a card: light, with spots that tell its face."""
    x, y = at
    picture[y : y + CARD[1], x : x + CARD[0]] = (225, 215, 195)
    rng = np.random.default_rng(100 + face)
    for cx, cy in rng.integers(12, [CARD[0] - 12, CARD[1] - 12], (9, 2)):
        colour = [int(v) for v in rng.integers(0, 180, 3)]
        cv2.circle(picture, (x + int(cx), y + int(cy)), 9, colour, -1, cv2.LINE_AA)


def arm(picture: Picture, reach: float) -> Picture:
    """The picture with an arm reaching in from below, by a share of the picture's height."""
    out = picture.copy()
    top = int(HEIGHT * (1 - reach))
    out[top:, 380:470] = (205, 160, 130)
    cv2.circle(out, (425, top), 55, (210, 165, 135), -1, cv2.LINE_AA)
    return out


class Film:
    """Gives pictures to a gate as a webcam would: noisy, compressed, 15 a second."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.at_s = 0.0
        self.rng = np.random.default_rng(7)
        self.noise: list[np.ndarray] = []
        self.glances: list[Glance] = []

    def show(self, picture: Picture | Callable[[float], Picture], seconds: float, light: float = 1.0) -> list[Glance]:
        """Show a picture (or what a function makes of the share of the time that is over)."""
        count = round(seconds * FPS)
        glances = []
        for n in range(count):
            now = picture(n / max(1, count - 1)) if callable(picture) else picture
            if not self.noise or self.noise[0].shape != now.shape:
                self.noise = [self.rng.normal(0, 4, now.shape).astype(np.float32) for _ in range(5)]
            noisy = cv2.addWeighted(now.astype(np.float32), light, self.noise[int(self.rng.integers(5))], 1, 0)
            jpeg = cv2.imencode(
                ".jpg",
                np.clip(noisy, 0, 255).astype(np.uint8),
                [cv2.IMWRITE_JPEG_QUALITY, int(self.rng.integers(60, 90))],
            )[1]
            rgb = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR))
            glances.append(self.gate.see(Frame(rgb, self.at_s)))
            self.at_s += 1 / FPS
        self.glances += glances
        return glances


def fresh(glances: list[Glance]) -> list[Glance]:
    return [g for g in glances if g.fresh]


def only_change(glances: list[Glance]) -> Change:
    told = fresh(glances)
    assert len(told) == 1
    assert told[0].change is not None
    return told[0].change


def hand_visit(film: Film, before: Picture, after: Picture, rest: float = 1.2) -> list[Glance]:
    """An arm comes in, something happens, it goes, and the table rests."""
    film.show(lambda t: arm(before, 0.7 * t), 0.6)
    film.show(lambda t: arm(after, 0.7 * (1 - t)), 0.6)
    return film.show(after, rest)


def test_still_table_settles_once(table: Picture) -> None:
    """Noise and compression are no movement: the table settles after half a second, and is told once."""
    film = Film()
    glances = film.show(table, 4)
    assert [g.word for g in glances[:5]] == [Word.LOOKING] * 5
    assert len(fresh(glances)) == 1
    first = next(n for n, g in enumerate(glances) if g.word is Word.SETTLED)
    assert 0.45 <= first / FPS <= 0.8
    assert all(g.word is Word.SETTLED for g in glances[first:])


def test_arm_is_movement_and_the_table_settles_soon_after(table: Picture) -> None:
    """While an arm moves nothing is settled; after it left the table settles within 0.8 s, as it was."""
    film = Film()
    film.show(table, 1)
    moving = film.show(lambda t: arm(table, 0.8 * np.sin(np.pi * t)), 1.5)
    assert not any(g.word is Word.SETTLED for g in moving[3:])
    after = film.show(table, 1.2)
    assert not only_change(after)
    assert next(n for n, g in enumerate(after) if g.fresh) / FPS <= 0.8


def test_new_card_is_the_only_change(table: Picture) -> None:
    """A card laid down is one change that covers the card and little more."""
    film = Film()
    film.show(table, 1)
    more = table.copy()
    lay(more, (420, 60), 9)
    change = only_change(hand_visit(film, table, more))
    boxes = np.array([region.box_px for region in change.regions])
    box = (*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0))
    np.testing.assert_allclose(box, (420, 60, 510, 190), atol=10)
    assert not any(region.at_border for region in change.regions)
    quad = np.array([[420, 60], [509, 60], [509, 189], [420, 189]], float)
    assert change.share(quad) > 0.7
    assert change.explained(quad) > 0.85
    assert change.share(quad - [350, 0]) == 0.0


def test_exchanged_card_is_a_change_where_it_lies(table: Picture) -> None:
    """Another card on the same place changes that place, and only that."""
    film = Film()
    film.show(table, 1)
    other = table.copy()
    lay(other, (170, 185), 8)
    change = only_change(hand_visit(film, table, other))
    first, second = (np.array([[x, 185], [x + 89, 185], [x + 89, 314], [x, 314]], float) for x in (60, 170))
    assert change.share(second) > 0.2
    assert change.share(first) == 0.0


@pytest.mark.parametrize("factor", [1.28, 1 / 1.28])
def test_lamp_is_a_disturbance_and_no_change(table: Picture, factor: float) -> None:
    """Another light is told as a disturbance, and nothing on the table has changed."""
    film = Film()
    dim = (table * 0.7).astype(np.uint8)
    film.show(dim, 1.5)
    told = fresh(film.show(dim, 1.5, light=factor))
    assert [g.disturbance for g in told] == [Disturbance.LIGHT]
    assert told[0].change is not None
    assert not told[0].change


def test_slow_change_of_light_does_not_unsettle(table: Picture) -> None:
    """Dusk is no movement."""
    film = Film()
    film.show(table, 1.5)
    for step in range(30):
        glances = film.show(table, 0.15, light=1 - 0.012 * step)
        assert all(g.word is Word.SETTLED for g in glances)
    assert {g.disturbance for g in fresh(film.glances)} == {None, Disturbance.LIGHT}
    assert not any(g.change for g in fresh(film.glances))


def test_resting_arm_is_known_by_its_edge_and_forgotten_when_it_goes(table: Picture) -> None:
    """An arm that rests counts as settled, reaching in from the edge; once gone, the table is as it was."""
    film = Film()
    film.show(table, 1)
    film.show(lambda t: arm(table, 0.7 * t), 0.6)
    resting = only_change(film.show(arm(table, 0.7), 1.5))
    assert any(region.at_border for region in resting.regions)
    hidden = np.array([[390, 150], [460, 150], [460, 300], [390, 300]], float)
    assert resting.share(hidden, at_border=True) > 0.5
    assert resting.explained(hidden) < 0.7
    film.show(lambda t: arm(table, 0.7 * (1 - t)), 0.6)
    assert not only_change(film.show(table, 1.2))


def test_card_laid_under_a_resting_arm_is_seen_when_the_arm_goes(table: Picture) -> None:
    """What a resting arm hid is compared with the table from before the arm."""
    film = Film()
    film.show(table, 1)
    film.show(lambda t: arm(table, 0.7 * t), 0.6)
    film.show(arm(table, 0.7), 1.5)
    more = table.copy()
    lay(more, (390, 150), 4)
    film.show(lambda t: arm(more, 0.7 * (1 - t)), 0.6)
    change = only_change(film.show(more, 1.2))
    quad = np.array([[390, 150], [479, 150], [479, 279], [390, 279]], float)
    assert change.share(quad) > 0.7
    assert change.explained(quad) > 0.85


def test_card_found_at_the_edge_is_no_arm(table: Picture) -> None:
    """A card at the picture's edge, once it was found there, is part of the table."""
    film = Film()
    film.show(table, 1)
    more = table.copy()
    lay(more, (420, HEIGHT - 130), 3)
    change = only_change(hand_visit(film, table, more))
    assert any(region.at_border for region in change.regions)
    film.gate.accept([np.array([[420, 230], [509, 230], [509, 359], [420, 359]], float)])
    assert not only_change(hand_visit(film, more, more))


def test_what_stays_at_the_edge_becomes_part_of_the_picture(table: Picture) -> None:
    """A mug put down at the edge is an arm for 10 s, then a change of its own, and then nothing."""
    film = Film()
    film.show(table, 1)
    mug = table.copy()
    cv2.circle(mug, (560, 350), 60, (40, 60, 130), -1)
    hand_visit(film, table, mug)
    told = fresh(film.show(mug, 11))
    assert len(told) == 1
    assert told[0].change
    assert not any(region.at_border for region in told[0].change.regions)
    assert not only_change(hand_visit(film, mug, mug))


def test_bumped_camera_is_told_with_its_shift(table: Picture) -> None:
    """When the whole picture moves the camera was bumped, and the shift is known to a pixel."""
    film = Film()
    large = cv2.copyMakeBorder(table, 20, 20, 20, 20, cv2.BORDER_REFLECT)
    film.show(large[20:-20, 20:-20], 1)
    told = fresh(film.show(large[16:-24, 29:-11], 1.5))
    assert [g.disturbance for g in told] == [Disturbance.CAMERA_MOVED]
    assert told[0].change is not None
    assert told[0].change.whole_px is not None
    np.testing.assert_allclose(told[0].change.whole_px[:2, 2], (-9, 4), atol=1.0)


@pytest.mark.parametrize(("angle", "zoom", "shift"), [(2.5, 1.0, 0), (0.0, 1.05, 0), (0.0, 0.96, 14), (-4.0, 0.97, 20)])
def test_turned_or_zoomed_camera_is_told_with_its_motion(
    table: Picture, angle: float, zoom: float, shift: float
) -> None:
    """A turn and a zoom are a bump as a shift is, and where every point went is known to two pixels."""
    film = Film()
    film.show(table, 1)
    h, w = table.shape[:2]
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), angle, zoom)
    matrix[:, 2] += np.array([shift, shift])
    told = fresh(film.show(cv2.warpAffine(table, matrix, (w, h), borderMode=cv2.BORDER_REFLECT), 1.5))
    assert [g.disturbance for g in told] == [Disturbance.CAMERA_MOVED]
    assert told[0].change is not None
    assert told[0].change.whole_px is not None
    corners = np.array([[0.2 * w, 0.2 * h, 1], [0.8 * w, 0.2 * h, 1], [0.8 * w, 0.8 * h, 1], [0.2 * w, 0.8 * h, 1]])
    found = corners @ told[0].change.whole_px.T
    np.testing.assert_allclose(found[:, :2], corners @ matrix.T, atol=2.0)


def test_dark_and_white_pictures_are_no_use(table: Picture) -> None:
    """A covered lens and a blinded camera are named."""
    film = Film()
    film.show(table, 1)
    assert {(g.word, g.trouble) for g in film.show(table // 40, 0.5)} == {(Word.LOOKING, Trouble.DARK)}
    white = np.full_like(table, 255)
    gate = Gate()
    assert gate.see(Frame(white, 0.0)).trouble is Trouble.BRIGHT


def test_lost_focus_is_named_and_never_settled(table: Picture) -> None:
    """A picture that went soft is not judged."""
    film = Film()
    film.show(table, 1.5)
    soft = cv2.GaussianBlur(table, (0, 0), 12)
    glances = film.show(soft, 2)
    assert not any(g.fresh for g in glances)
    assert glances[-1].trouble is Trouble.BLURRED
    assert len(fresh(film.show(table, 1.2))) == 1


def test_another_size_starts_anew(table: Picture) -> None:
    """A camera that switches its resolution is looked at afresh."""
    film = Film()
    film.show(table, 1)
    assert film.show(cv2.resize(table, (800, 450)), 0.1)[0].word is Word.LOOKING


def test_large_frames_are_judged_alike(table: Picture) -> None:
    """The size of the frame changes boxes, not calls."""
    film = Film()
    large = cv2.resize(table, (1920, 1080))
    film.show(large, 0.8)
    more = table.copy()
    lay(more, (420, 60), 9)
    told = fresh(film.show(cv2.resize(more, (1920, 1080)), 0.8))
    assert told[-1].change is not None
    boxes = np.array([region.box_px for region in told[-1].change.regions])
    np.testing.assert_allclose(boxes[:, :2].min(axis=0), (1260, 180), atol=24)


@pytest.mark.bench
def test_glance_costs_less_than_half_a_decode() -> None:
    """A live frame on which nothing changed costs at most 1.5 times its decoding, decoding included."""
    import timeit

    rng = np.random.default_rng(1)
    rough = cv2.resize(rng.integers(0, 255, (90, 160, 3), dtype=np.uint8), (1280, 720), interpolation=cv2.INTER_CUBIC)
    jpeg = cv2.imencode(".jpg", rough, [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
    gate = Gate()
    times = iter(np.arange(0, 1e4, 0.05))
    decode = min(timeit.repeat(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR), number=30, repeat=7))
    see = min(timeit.repeat(lambda: gate.see(Frame(rough, float(next(times)))), number=30, repeat=7))
    print(f"decode {decode / 30 * 1e3:.2f} ms, glance {see / 30 * 1e3:.2f} ms")
    assert see < 0.5 * decode
