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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select

from tests.measure.first_person import Person, Tried, machine_s
from tests.webui.browsing import open_browser, resize

Json = dict[str, Any]
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


class Truth:
    """What is really on the parts that were read, by where they were seen."""

    def __init__(self, case: Path, decks: Path, game: str) -> None:
        truth = json.loads((case / "truth.json").read_text())
        self.deck = json.loads((decks / Path(truth["deck"]).name / "deck.json").read_text())
        groups = [self.deck.get("faces", []), self.deck.get("pieces", []), self.deck.get("cacti", [])]
        groups.append(self.deck.get("scoring_cards", {}).get("faces", []))
        self._known = {f["id"]: f for group in groups for f in group}
        self._case, self.game = case, game
        self.photos = sorted(case.glob("[0-9]*.jpg"))
        self.board = case / "board.jpg" if (case / "board.jpg").exists() else None
        self._places = [
            (photo["photo"], np.mean(thing.get("quad") or thing["outline"], axis=0), thing["id"])
            for photo in truth["photos"]
            for thing in (*photo.get("cards", ()), *photo.get("pieces", ()), *photo.get("cacti", ()))
        ]

    def of(self, part: Json) -> Json:
        """The true fields of a part."""
        seen = part["sightings"][0]
        if part["group"] == "board":
            return dict(self.deck["board"])
        number = int(Path(seen["photo"]).stem)
        middle = np.mean(seen.get("quad") or seen["outline"], axis=0)
        scale = self._scale(number)
        near = [
            (float(np.hypot(*(np.asarray(at) - middle / scale))), name)
            for photo, at, name in self._places
            if photo == self.photos[number].name
        ]
        return dict(self._known[min(near)[1]])

    def _scale(self, number: int) -> float:
        picture = cv2.imread(str(self.photos[number]))
        assert picture is not None
        return float(min(1.0, 4000 / max(picture.shape[:2])))


def learn(person: Person, address: str, truth: Truth, home: Path) -> None:
    """Photos, names, questions, and a deck that lies on the table."""
    person.browser.get(address)
    person.tap('a[href="/copies"]')
    if truth.game == "cactus":
        tallest = max(y for c in truth.deck["cacti"] for _, y in c["outline"])
        person.until(lambda d: person.see("[name=cactus]")[0].is_displayed())
        person.type(person.see("[name=cactus]")[0], round(tallest))
    person.tap("#begin")
    person.send("#copy-photo", *truth.photos)
    if truth.board is not None:
        person.send("#copy-board", truth.board)
    person.tap("#copy-send button")
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
        answer(person, data["parts"], truth)
        person.until(lambda d: not person.see("#copy[data-stage=reading]"))  # a height measures outlines anew


def _asks_no_more(person: Person, name: str, _: WebDriver) -> bool:
    return name not in [n.get_attribute("value") for n in person.see("#names [name=name]")]


def _shown(kind: Json, part: Json, truth: Truth, sort: str) -> str:
    real = truth.of(part)
    if sort == "elements":
        by_leader = part["fields"]["center"] != kind["key"]
        return str(max(real["edge"], key=lambda k: real["edge"][k]) if by_leader else real["center"])
    return str(real["color"] if sort == "colors" else real["shape"])


def answer(person: Person, parts: list[Json], truth: Truth) -> None:
    """Put right what is wrong on a page of questions, and go on."""
    values = person.see("#ask input[name^=value-]")
    mark = person.see("#ask")[0]
    if values:
        for box in values:
            n = int((box.get_attribute("name") or "").removeprefix("value-"))
            person.type(box, truth.of(parts[n])["value"])
            person.tried.questions += 1
        person.tap("#ask .button.main")
    elif person.see("#right"):
        _put_right(person, parts, truth)
        person.tap("#right")
    else:
        number = int((person.see("#ask form")[0].get_attribute("action") or "").rsplit("/", 1)[1])
        button = person.see("#ask .copy-choices button")[0]
        right = truth.of(parts[number]).get(button.get_attribute("name") or "") or ""
        person.tried.questions += 1
        person.tap(f'#ask .copy-choices button[value="{right}"]')
    person.until(lambda d: not person.see("#ask") or person.see("#ask")[0] != mark)


def _put_right(person: Person, parts: list[Json], truth: Truth) -> None:
    numbers = {
        int((e.get_attribute("name") or "")[1:].split("-")[0])
        for e in person.see("#ask [name^=p][name$=-out]")
        if "corner" not in (e.get_attribute("name") or "")
    }
    for n in sorted(numbers):
        real, corrected = truth.of(parts[n]), person.tried.corrected
        folded = _unfold(person, n)
        for ask in parts[n]["asks"]:
            person.tried.questions += 1
            if ask in ("center", "color", "shape", "symbol"):
                value = real.get(ask) or ""
                box = person.see(f'#ask input[name="p{n}-{ask}"][value="{value}"]')
                if box and not box[0].is_selected():
                    person.tried.corrected += 1
                    person.tried.taps += 1
                    person.browser.execute_script("arguments[0].click()", box[0])
            elif ask == "edge":
                labels = person.see(f"#ask input[name^=p{n}-edge-]")
                for box_ in labels:
                    label = box_.find_element(By.XPATH, "..").text.strip()
                    count = str(real["edge"].get(label, 0))
                    if box_.get_attribute("value") != count:
                        person.tried.corrected += 1
                        person.type(box_, count)
            elif ask == "corners":
                _put_corners_right(person, n, real)
            elif ask == "size_mm":
                side = person.see(f"#ask input[name=p{n}-size]")[0]
                if float(side.get_attribute("value") or 0) != real["size_mm"]:
                    person.tried.corrected += 1
                    person.type(side, real["size_mm"])
        if folded and person.tried.corrected > corrected:
            person.tried.taps += 1


def _unfold(person: Person, n: int) -> bool:
    """Show the fields of a part; whether they were folded away, which takes a tap."""
    return bool(
        person.browser.execute_script(
            "const field = document.querySelector(`#ask [name='p${arguments[0]}-out']`);"
            "const fold = field && field.closest('details.copy-asked:not([open])');"
            "if (fold) fold.open = true; return Boolean(fold);",
            n,
        )
    )


def _put_corners_right(person: Person, n: int, real: Mapping[str, Any]) -> None:
    left = list(real["corners"])
    for i in range(4):
        region = person.see(f"#ask input[name=p{n}-corner-{i}-region]")
        if not region:
            continue
        outline = [tuple(map(float, p.split(","))) for p in (region[0].get_attribute("value") or "").split()]
        if not outline:
            continue
        middle = np.mean(outline, axis=0)
        best = min(left, key=lambda c: float(np.hypot(*(np.mean(c["region"], axis=0) - middle))), default=None)
        if best is None:
            continue
        left.remove(best)
        value = person.see(f"#ask input[name=p{n}-corner-{i}-value]")[0]
        if value.get_attribute("value") != str(best["value"]):
            person.tried.corrected += 1
            person.type(value, best["value"])
        colour = Select(person.see(f"#ask select[name=p{n}-corner-{i}-color]")[0])
        if colour.first_selected_option.get_attribute("value") != best["color"]:
            person.tried.corrected += 1
            person.tried.taps += 1
            colour.select_by_value(best["color"])


def play(person: Person, truth: Truth, table: Path) -> None:
    """Take the copy to the table, begin a match, and have a photo judged."""
    game = truth.game
    person.tap('#save button[value="play"], #save button[name=key]')
    person.wait("to the table", lambda d: person.see("form [name^=player-]"))
    person.shoot("new")
    for seat, name in zip(PLAYERS[game], ("Ada", "Ben"), strict=True):
        person.type(person.see(f"#player-{seat}")[0], name)
    person.tap("#begin")
    photos = sorted(table.glob("[0-9]*.jpg"))
    if game == "rox":
        person.until(lambda d: person.see("#value-0"))
        if not person.see("#value-0")[0].get_attribute("value"):
            person.type(person.see("#value-0")[0], 7)
        person.tap("#start")
        person.tap("#call-1")
        person.until(lambda d: person.see("#judge, #by-photo"))
        person.send("#photo", photos[0])
        person.wait(
            "verdict", lambda d: not person.see("#judge, #by-photo") and "erdict" in person.see("#stage")[0].text
        )
    else:
        person.until(lambda d: person.see("#begin-play"))
        person.send("#photo", photos[0])
        person.wait("set-up", lambda d: not person.see("#begin-play") and person.see("#stage .turn"))
        if person.see("#roll-color"):
            person.tap("#roll-color")
            person.until(lambda d: not person.see("#roll-color"))
        before = _told(person)
        person.send("#photo", photos[1])
        person.wait("verdict", lambda d: _told(person) not in ("", before) and _LOOKING not in _told(person))
    person.shoot("verdict")
    person.tried.verdict = " ".join(_told(person).split())[:300]


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
