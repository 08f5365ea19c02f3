"""The live loop at a camera of 1080p: how many frames a second it keeps, and what a still table costs.

``python -m tests.benchmarks.live_loop`` plays a drawn table as a camera would give it, thirty JPEGs a second, through
source, eye, runner and one viewer, and prints the figures as one line of JSON.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.render.rox_table import DeckArt, draw, framed_view, random_scene
from tests.render.scene import Sensor
from vision.deck import load_appearance
from vision.live import observe_any
from vision.scene import SceneModel
from vision.sources.newest import LiveSource
from webui.log.store import Store
from webui.sight.cameras.camera import TableEye
from webui.sight.decks.folders import bundled_deck, read_deck
from webui.table.runner import Runner

FPS = 30.0
PATIENCE_S, REST_S, MEASURED_S = 90.0, 3.0, 10.0
FRAMES = 6
HAND_EVERY_S = 5.0
"""In the second half an arm comes that often, so that the table is looked at closely again and again."""


class Camera:
    """What OpenCV's capture is: compressed frames of a webcam, decoded when they are read, thirty a second."""

    def __init__(self, still: list[NDArray[np.uint8]], arm: list[NDArray[np.uint8]]) -> None:
        self._still, self._arm = still, arm
        self._begun_s = time.monotonic()
        self.read_count = 0
        self.hands = False

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def read(self) -> tuple[bool, NDArray[np.uint8]]:
        self.read_count += 1
        due_s = self._begun_s + self.read_count / FPS
        late_s = time.monotonic() - due_s
        if late_s < 0:
            time.sleep(-late_s)
        else:
            # a camera waits for nobody: what was not read in time is gone
            self.read_count += int(late_s * FPS)
        reaching = self.hands and time.monotonic() % HAND_EVERY_S < 1.0
        shots = self._arm if reaching else self._still
        shot = cv2.imdecode(shots[self.read_count % FRAMES], cv2.IMREAD_COLOR)
        return True, np.asarray(shot, np.uint8)

    def release(self) -> None:
        """Nothing to let go of."""


def pictures() -> tuple[list[NDArray[np.uint8]], list[NDArray[np.uint8]]]:
    """JPEGs of a table with cards, each with noise of its own; and with an arm over it."""
    rng = np.random.default_rng(4)
    art = DeckArt.load(bundled_deck("rox"))
    scene = random_scene(rng, art)
    canvas, _ = draw(rng, scene, art, framed_view(rng, scene.region_mm, (1920, 1080), 15, 64), scale=1)
    rgb, _ = canvas.finish(rng, Sensor(blur=0.5, noise=0.0, jpeg=100))
    arm = rgb.copy()
    arm[:700, 900:1150] = (70, 72, 70)

    def shots(picture: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        noisy = [np.clip(picture + rng.integers(-3, 4, picture.shape, np.int16), 0, 255) for _ in range(FRAMES)]
        return [
            np.asarray(cv2.imencode(".jpg", n.astype(np.uint8)[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])[1], np.uint8)
            for n in noisy
        ]

    return shots(rgb), shots(arm)


def decoding_s(shots: list[NDArray[np.uint8]]) -> float:
    """CPU time of decoding one frame."""
    taken = []
    for n in range(30):
        begun = time.thread_time()
        cv2.imdecode(shots[n % FRAMES], cv2.IMREAD_COLOR)
        taken.append(time.thread_time() - begun)
    return float(np.median(taken))


def main() -> None:
    """Measure and print."""
    cv2.setNumThreads(1)
    still, arm = pictures()
    decode_s = decoding_s(still)
    folder = bundled_deck("rox")
    camera = Camera(still, arm)
    with tempfile.TemporaryDirectory() as own:
        store = Store(f"sqlite:///{Path(own) / 'bench.sqlite'}")
        source = LiveSource("bench", lambda: cast(cv2.VideoCapture, camera))
        eye = TableEye(SceneModel(load_appearance(folder)), observe_any)
        runner = Runner(store, eye, read_deck(folder), source)
        runner.start()
        gone = threading.Event()

        def watch() -> None:
            seen = -1
            while not gone.is_set():
                shown = runner.picture.look(seen, 0.5)
                seen = shown.number if shown is not None else seen
                gone.wait(0.1)  # a browser draws ten pictures a second

        viewer = threading.Thread(target=watch)
        try:
            until_s = time.monotonic() + PATIENCE_S
            while runner.board.snapshot.state != "settled" and time.monotonic() < until_s:
                time.sleep(0.2)
            time.sleep(REST_S)
            state = runner.board.snapshot.state
            idle = _spent(runner)
            viewer.start()
            viewed = _spent(runner)
            camera.hands = True
            busy = _spent(runner)
        finally:
            gone.set()
            viewer.join()
            runner.stop()
            store.close()
    figures = {
        "state": state,
        "decode_ms": round(1e3 * decode_s, 2),
        "idle_fps": round(idle[0], 1),
        "idle_cpu": round(idle[1], 3),
        "viewed_cpu": round(viewed[1], 3),
        "busy_fps": round(busy[0], 1),
        "busy_cpu": round(busy[1], 3),
        "idle_ms_a_frame": round(1e3 * idle[1] / max(idle[0], 1e-9), 1),
        "busy_ms_a_frame": round(1e3 * busy[1] / max(busy[0], 1e-9), 1),
        "idle_per_decoded": round(idle[1] / (FPS * decode_s), 2),
    }
    print(json.dumps(figures))


def _spent(runner: Runner) -> tuple[float, float]:
    """Frames a second that came through to the viewers, and the CPU time as a share of one core."""
    number, cpu_s, begun_s = runner.picture.number, time.process_time(), time.monotonic()
    time.sleep(MEASURED_S)
    wall_s = time.monotonic() - begun_s
    return (runner.picture.number - number) / wall_s, (time.process_time() - cpu_s) / wall_s


if __name__ == "__main__":
    main()
