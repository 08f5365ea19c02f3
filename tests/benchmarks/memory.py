"""Plays the demonstration at full speed through the runner, with the page and a viewer, and prints its memory.

Run as a program of its own, so that nothing else is counted: ``python -m tests.benchmarks.memory``. Prints one JSON
object: `now_mb` (resident at the end), `peak_mb`, `rounds` (rounds that were judged and confirmed).
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
from pathlib import Path

from vision.deck import load_appearance
from vision.observe import observe
from vision.scene import SceneModel
from vision.sources.recorded import FileSource
from webui.bootstrap import DEMO, open_server, open_store
from webui.sight.cameras.camera import TableEye
from webui.sight.decks.art import DeckArt
from webui.sight.decks.folders import bundled_deck, read_deck
from webui.table.director import Director, load_script
from webui.table.runner import Runner


def play(folder: Path) -> int:
    """Play it once; the number of rounds that were confirmed."""
    deck_folder = bundled_deck("rox")
    deck = read_deck(deck_folder)
    script = load_script(DEMO / "rox.json")
    store = open_store(f"sqlite:///{folder / 'match.sqlite'}")
    eye = TableEye(SceneModel(load_appearance(deck_folder)), observe)
    runner = Runner(store, eye, deck, None, Director(script, lambda at: script.create(deck, at)))
    server = open_server(store, runner, DeckArt(deck_folder, deck), "127.0.0.1", 0)
    source = FileSource(str(DEMO / "rox.mp4"))
    n = 0
    while (frame := source.read()) is not None:
        runner.offer(frame)
        runner.step()
        if n % 3 == 0:
            runner.picture.look()
        n += 1
    source.close()
    server.server_close()
    (match,) = store.matches()
    confirmed = sum(e.body.get("type") == "RoundConfirmed" for e in store.events(match.id))
    store.close()
    return confirmed


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rounds = play(Path(folder))
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    print(
        json.dumps(
            {
                "now_mb": round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6),
                "rounds": rounds,
            }
        )
    )


if __name__ == "__main__":
    main()
