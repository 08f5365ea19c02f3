"""From a box of cards to the first verdict in a real browser: taps, waiting and machine time.

``python -m tests.measure.first_verdict CASES [--only GAME] [--shots DIR]`` takes the photographs of laid-out decks in
``CASES/enroll`` and one table of ``CASES/GAME`` that is played with the same deck; a person who knows the deck answers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from selenium.webdriver.remote.webdriver import WebDriver

from tests.measure.first_answers import answer
from tests.measure.first_person import Person, Tried, machine_s
from tests.measure.first_truth import Truth
from tests.webui.browsing import open_browser, resize

Json = dict[str, Any]
_THE_SAME_S = 3.0  # so long a person waits for another word
_LOOKING = "being looked at"  # what the page says while a photo is judged
PLAYERS = {"rox": ("south", "north"), "conex": ("south", "north"), "cactus": ("1", "2")}


@contextmanager
def program(game: str, home: Path) -> Iterator[tuple[str, int]]:
    """`referee play GAME` of somebody who has nothing yet: its address and its process."""
    env = {**os.environ, "XDG_DATA_HOME": str(home), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "webui.cli", "play", game, "--port", "0", "--source", "9"]
    running = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    address = ""
    for line in running.stdout:
        if "http://" in line:
            address = line.split()[-1]
            break
    try:
        yield address, running.pid
    finally:
        running.terminate()
        running.communicate(timeout=30)


def learn(person: Person, address: str, truth: Truth, home: Path) -> None:
    """Photos, names, questions, and a deck that lies on the table."""
    person.browser.get(address)
    person.tap('a[href="/copies"]')
    if truth.game == "cactus":
        person.until(lambda d: person.see("[name=cactus]")[0].is_displayed())
        person.type(person.see("[name=cactus]")[0], f"{truth.tallest_mm:g}")
    person.tap("#begin")
    person.send("#copy-photo", *truth.photos)
    person.wait("sending", lambda d: len(person.see(".copy-photos li")) == len(truth.photos))
    if truth.board is not None:
        person.send("#copy-board", truth.board)
        person.wait("sending", lambda d: person.see("#board-photo"))
    person.tap('#photos button[value="read"]')
    person.wait("reading", lambda d: person.see('#copy[data-stage="read"]'))
    person.shoot("named")
    read = home / "table-referee" / "copies" / "my-copy" / "read" / "parts.json"
    data = json.loads(read.read_text())
    called: dict[tuple[str, str], str] = {}
    while name := person.see("#names input[name=name]"):
        wanted = name[0].get_attribute("value") or ""
        tiles = [t.get_attribute("value") for t in person.see("#names .copy-tile")]
        sort = next(k["sort"] for k in data["kinds"] if k["key"] in tiles)
        right = [
            k["key"]
            for k in data["kinds"]
            if k["key"] in tiles and _shown(k, data["parts"][k["part"]], truth, sort) == wanted
        ]
        if not right:
            raise SystemExit(f"no picture shows {wanted}")
        called[sort, right[0]] = wanted
        person.tap(f'#names .copy-tile[value="{right[0]}"]', names=True)
        person.until(partial(_asks_no_more, person, wanted))
    if person.see("#called"):
        for kind in data["kinds"]:
            box = person.see(f"#called input[name=name-{data['kinds'].index(kind)}]")[0]
            wanted = _shown(kind, data["parts"][kind["part"]], truth, kind["sort"])
            if box.get_attribute("value") != wanted:
                person.tried.named += 1
                person.type(box, wanted)
        person.tap("#called button.main")
        person.until(lambda d: not person.see("#called"))
    while person.see("#ask"):
        person.shoot(f"asked-{person.tried.taps}")
        answer(person, json.loads(read.read_text())["parts"], truth)
        if person.see("#copy[data-stage=reading]"):  # a height measures outlines anew
            person.wait("reading again", lambda d: not person.see("#copy[data-stage=reading]"))


def _asks_no_more(person: Person, name: str, _: WebDriver) -> bool:
    return name not in [n.get_attribute("value") for n in person.see("#names [name=name]")]


def _shown(kind: Json, part: Json, truth: Truth, sort: str) -> str:
    real = truth.of(part)
    if sort == "elements":
        by_leader = part["fields"]["center"] != kind["key"]
        return str(max(real["edge"], key=lambda k: real["edge"][k]) if by_leader else real["center"])
    return str(real["color"] if sort == "colors" else real["shape"])


def play(person: Person, truth: Truth, table: Path) -> None:
    """Take the copy to the table, begin a match, and have a photo judged."""
    game = truth.game
    person.tap('#save button[value="play"], #save button[name=key]')
    person.wait("to the table", lambda d: person.see("form [name^=player-]"))
    person.shoot("new")
    for seat, name in zip(PLAYERS[game], ("Ada", "Ben"), strict=True):
        person.type(person.see(f"#player-{seat}")[0], name)
    person.tap("#begin")
    photos = iter(sorted(table.glob("[0-9]*.jpg")))
    if game == "rox":
        person.until(lambda d: person.see("#value-0"))
        if not person.see("#value-0")[0].get_attribute("value"):
            person.type(person.see("#value-0")[0], 7)
        person.tap("#start")
        person.tap("#call-1")
        person.until(lambda d: person.see("#judge, #by-photo"))
        person.send("#photo", next(photos))
        person.wait(
            "verdict", lambda d: not person.see("#judge, #by-photo") and "erdict" in person.see("#stage")[0].text
        )
    else:
        person.until(lambda d: person.see("#begin-play"))
        _set_up(person, photos)
        person.until(lambda d: person.see("#stage .turn"))
        if person.see("#roll-color"):
            person.tap("#roll-color")
            person.until(lambda d: not person.see("#roll-color"))
        before = _told(person)
        person.send("#photo", next(photos))
        person.wait("verdict", partial(_answered, person, before, []))
    person.shoot("verdict")
    person.tried.verdict = " ".join(_told(person).split())[:300]


def _set_up(person: Person, photos: Iterator[Path]) -> None:
    """Photograph what stands there until the page says that all is found; then begin with what hangs, if anything does.

    The photos of the cases are of the middle of a game: something hangs on the first already.
    """
    found = False
    while not found:
        before = _told(person)
        person.send("#photo", next(photos))
        person.wait("set-up", partial(_answered, person, before, []))
        found = bool(person.see("#stage .turn, #stage .checks .sign.good"))
    if person.see("#hang-already"):
        person.tap("#begin-play")


def _answered(person: Person, before: str, idle_s: list[float], _: WebDriver) -> bool:
    """Whether the photo was looked at, and the page says something else than before, or a while later still the same.

    `idle_s` keeps when it was seen that nothing is being looked at.
    """
    told = _told(person)
    if not told or _LOOKING in told:
        idle_s.clear()
        return False
    idle_s.append(time.monotonic())
    return told != before or idle_s[-1] - idle_s[0] > _THE_SAME_S


def _told(person: Person) -> str:
    """What the page says of the round."""
    return "\n".join(e.text for e in (*person.see("#toast:not([hidden])"), *person.see("#stage")))


def tried(game: str, cases: Path, table: Path, shots: Path | None = None, width: int = 1366) -> Tried:
    """One game, from nothing to its first verdict."""
    case = next(
        p.parent for p in sorted((cases / "enroll").glob("*/truth.json")) if json.loads(p.read_text())["game"] == game
    )
    with tempfile.TemporaryDirectory(prefix="referee-first-") as own:
        home = Path(own)
        with program(game, home) as (address, pid):
            for browser in open_browser():
                resize(browser, width, 844 if width < 1000 else 768)
                person = Person(browser, Tried(game), pid, shots)
                truth = Truth(case, cases / "decks", game)
                begun = time.monotonic()
                learn(person, address, truth, home)
                person.shoot("read")
                play(person, truth, table)
                person.tried.waited_s["all"] = round(time.monotonic() - begun, 1)
                person.tried.machine_s["all"] = round(machine_s(pid), 1)
                return person.tried
    raise AssertionError("no browser")


TABLES = {"rox": "oak-two-seats", "conex": "oak-mug", "cactus": "desert-01"}


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", choices=sorted(TABLES))
    parser.add_argument("--shots", type=Path)
    o = parser.parse_args()
    for game, table in TABLES.items():
        if o.only in (None, game):
            one = tried(game, o.cases, o.cases / game / table, o.shots)
            print(json.dumps({k: getattr(one, k) for k in Tried.__slots__}), flush=True)


if __name__ == "__main__":
    main()
