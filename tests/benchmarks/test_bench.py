"""What the program costs, against decoding the same photograph: run by hand with `make bench`, never in the suite.

Goals are those that the project set itself; times are ratios, see `tests.benchmarks.timing`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring.deck import RoxDeck
from scoring.games.rox import RoxOptions, judge_rows
from scoring.rows import find_rows
from tests.benchmarks.timing import ratio
from tests.render.rox_table import DeckArt, draw, framed_view, random_scene
from tests.render.scene import Sensor
from vision.cactus.cactus_set import load_cactus_set
from vision.deck import load_appearance
from vision.live import Eye
from vision.observe import observe
from vision.scene import Observation, SceneModel
from vision.types import Failure, Frame
from webui.commands.scene import seen_over_time
from webui.sight.decks.folders import bundled_deck, read_deck
from webui.telling import report_of

pytestmark = pytest.mark.bench
ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "sample_images" / "golden"
CARDS = 40
Told = Callable[[str, float, float], None]


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    """Take a figure with its goal; the table of all is printed at the end."""
    lines: list[tuple[str, float, float]] = []

    def tell(what: str, value: float, goal: float) -> None:
        lines.append((what, value, goal))
        assert value <= goal, f"{what}: {value:.2f}, goal {goal:g}"

    yield tell
    width = max((len(what) for what, _, _ in lines), default=4)
    print(f"\n\n{'':{width}}  {'value':>7}  {'goal':>6}")
    for what, value, goal in lines:
        print(f"{what:{width}}  {value:7.2f}  {goal:6g}  {'ok' if value <= goal else 'MISSED'}")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A photograph of a table with forty cards, as it comes from a camera, and what is needed to judge it."""

    jpeg: np.ndarray
    rgb: np.ndarray
    deck: RoxDeck
    model: SceneModel

    def decode(self) -> object:
        return cv2.imdecode(self.jpeg, cv2.IMREAD_COLOR)

    def judge(self) -> int:
        """The number of row cards with a name, so that nothing can be left out unnoticed."""
        seen = observe(Frame(self.rgb), self.model)
        assert isinstance(seen, Observation)
        rows = judge_rows(seen.table, find_rows(seen.table, self.deck), self.deck, RoxOptions())
        return sum(card.face is not None for row in rows for card in row.cards)


@pytest.fixture(scope="module")
def table() -> Table:
    folder = bundled_deck("rox")
    art = DeckArt.load(folder)

    def cards(seed: int) -> int:
        scene = random_scene(np.random.default_rng(seed), art)
        return sum(map(len, scene.rows.values())) + len(scene.pool) + len(scene.scoring) + len(scene.face_down)

    seed = next(n for n in range(1000) if cards(n) == CARDS)
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, art)
    view = framed_view(rng, scene.region_mm, (1920, 1080), 15, 64)
    canvas, _ = draw(rng, scene, art, view, scale=1)
    assert len(canvas.cards) == CARDS
    rgb, _ = canvas.finish(rng, Sensor(blur=0.5, noise=2.0, jpeg=100))
    _, jpeg = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
    photo = np.ascontiguousarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR)[..., ::-1])
    found = Table(jpeg, photo, read_deck(folder), SceneModel(load_appearance(folder)))
    row_cards = sum(map(len, scene.rows.values()))
    assert found.judge() >= row_cards - 1
    return found


def test_a_photo_with_forty_cards_is_judged(table: Table, told: Told) -> None:
    """Observe, find the rows, judge them: at most forty times as long as decoding the photo."""
    told(f"{CARDS} cards judged / decoded", ratio(table.judge, table.decode, 15), 40)


@pytest.mark.parametrize("label", sorted(GOLDEN.glob("cactus-*/truth.json")), ids=lambda path: path.parent.name)
def test_the_next_photo_of_a_game_of_cactus(label: Path, told: Told) -> None:
    """Every further photo of a sequence, looked at and judged: at most sixty times as long as decoding it."""
    truth = json.loads(label.read_text(encoding="utf-8"))
    folder = ROOT / "sample_images" / "decks" / truth["deck"]
    deck, model = read_deck(folder), SceneModel(None, cactus=load_cactus_set(folder))
    jpegs = [np.frombuffer((label.parent / p["photo"]).read_bytes(), np.uint8) for p in truth["photos"]]
    judged, decoded = (np.full(len(jpegs), np.inf) for _ in range(2))
    for _ in range(5):
        eye, report = Eye(model), report_of(deck)
        for n, jpeg in enumerate(jpegs):
            begun = time.process_time()
            rgb = cv2.imdecode(jpeg, cv2.IMREAD_COLOR_RGB)
            ready = time.process_time()
            seen = seen_over_time(eye.read(Frame(rgb, float(n), n)))
            assert not isinstance(seen, Failure)
            turn = report.tell(seen)
            report.accept(seen, turn)
            done = time.process_time()
            judged[n], decoded[n] = min(judged[n], done - ready), min(decoded[n], ready - begun)
            assert turn.table["placed"] == truth["photos"][n]["placed"]
    times = judged / decoded
    told(f"first photo of {label.parent.name} / decoded", times[0], 500)
    told(f"next photo of {label.parent.name} / decoded", float(np.median(times[1:])), 60)


def test_a_frame_on_which_nothing_changed(table: Table, told: Told) -> None:
    """A live frame with nothing new but its noise: looked at in at most one and a half times its decoding."""
    eye = Eye(table.model, observe)
    noise = np.random.default_rng(1)
    frames = [
        np.clip(table.rgb + noise.integers(-3, 4, table.rgb.shape, np.int16), 0, 255).astype(np.uint8) for _ in range(6)
    ]
    clock = iter(range(1, 1_000_000))

    def look() -> object:
        n = next(clock)
        return eye.look(Frame(frames[n % len(frames)], n / 15, n))

    for _ in range(60):
        last = look()
    assert last.settled is not None and not last.fresh  # type: ignore[attr-defined]  # noqa: PT018
    told("unchanged frame / decoded", ratio(look, table.decode, 25, 4), 1.5)


def test_memory_of_a_running_match(told: Told) -> None:
    """The demonstration, played to its end by a process with page and viewer, leaves it at 500 MB or less."""
    program = [sys.executable, "-m", "tests.benchmarks.memory"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert figures["rounds"] == 2
    told(f"MB of a running match (peak {figures['peak_mb']})", figures["now_mb"], 500)


def test_the_live_loop_keeps_up_with_a_camera(told: Told) -> None:
    """Thirty frames of 1080p a second come through, with close looks too; a still table takes half a core at most."""
    program = [sys.executable, "-m", "tests.benchmarks.live_loop"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert figures["state"] == "settled"
    told(f"30 / frames a second of a still table ({figures['idle_fps']})", 30 / figures["idle_fps"], 1.05)
    told(f"30 / frames a second with close looks ({figures['busy_fps']})", 30 / figures["busy_fps"], 1.1)
    told(f"CPU of a still table ({figures['idle_cpu']:.0%} of a core) / decoded", figures["idle_per_decoded"], 2.5)
