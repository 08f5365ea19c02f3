"""A match survives `kill -9` at any moment: a real process, killed while commands are being posted."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

from scoring.events import decode
from scoring.match import fold
from webui.log.store import Store

ROOT = Path(__file__).parents[2]
KILLS = 6
DEALS = ((10,), (9,), (8,), (7,), (6,))


class Player:
    """A browser that plays a match as fast as it can, and remembers what it was told."""

    def __init__(self, port: int, cookie: str | None = None) -> None:
        self._port = port
        self.cookie = cookie
        self.token = ""
        self.acknowledged = 0

    def open(self) -> None:
        """Load the page as a browser would, with the cookie from before the crash."""
        status, body, headers = self._ask("GET", "/matches")
        assert status == 200
        if self.cookie is None:
            self.cookie = headers["Set-Cookie"].split(";")[0]
            status, body, _ = self._ask("GET", "/matches")
        found = re.search(r'name="token" content="(\w+)"', body)
        assert found
        self.token = found[1]

    def begin(self) -> str:
        form = {"player-south": "Ann", "player-north": "Bob", "min_row": "2", "rounds": "5"}
        status, _, headers = self._post("/matches/new", form)
        assert status == 303
        return headers["Location"].rsplit("/", 1)[1]

    def play(self, match: str) -> None:
        """Press the next sensible button, again and again, until the server is gone."""
        try:
            while True:
                self.one(match)
        except (OSError, http.client.HTTPException, ValueError):
            return

    def one(self, match: str) -> int:
        shown = json.loads(self._ask("GET", "/api/snapshot")[1])["match"]
        assert shown["id"] == match
        seq = shown["seq"]
        form: dict[str, Any]
        path = f"/matches/{match}/do"
        if shown["phase"] in ("dealing", "between"):
            form = {"command": "start", "value": DEALS[shown["round"] - 1]}
        elif shown["phase"] == "racing":
            form = {"command": "call", "seat": "south"}
        elif shown["phase"] == "checking":
            path, form = f"/matches/{match}/photo", {}
        elif shown["phase"] == "verdict":
            ruling = shown["ruling"]
            if shown["round"] == len(DEALS):
                # A match that is over is not taken up again after a restart, so the last round is never confirmed.
                form = {"command": "undo"}
            elif ruling["settled"]:
                form = {"command": "confirm"}
            else:
                form = {"command": "declare_awards", "points-south": str(ruling["dealt"][0]["value"])}
        else:
            raise AssertionError(shown["phase"])
        status, body, _ = self._post(path, {**form, "seq": seq, "command_id": f"tap-{random.getrandbits(64):016x}"})
        told = json.loads(body)
        assert status == 200, body
        assert told["outcome"] == "done", body
        self.acknowledged = told["seq"]
        return self.acknowledged

    def _post(self, path: str, form: dict[str, Any]) -> tuple[int, str, dict[str, str]]:
        headers = {"Accept": "application/json", "X-Referee-Token": self.token}
        if path.endswith("/photo"):
            headers["Content-Type"] = "multipart/form-data; boundary=x"
            parts = [f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in form.items()]
            parts.append(
                '--x\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\nphoto\r\n--x--\r\n'
            )
            return self._ask("POST", path, "".join(parts), headers)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self._ask("POST", path, urllib.parse.urlencode(form, doseq=True), headers)

    def _ask(
        self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        try:
            connection.request(
                method, path, body, {**(headers or {}), **({"Cookie": self.cookie} if self.cookie else {})}
            )
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())
        finally:
            connection.close()


def start(database: Path) -> tuple[subprocess.Popen[str], int]:
    """A server process of its own, serving."""
    command = [sys.executable, "-m", "tests.webui.serve_bare", str(database), "0"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "the server did not start"
    return process, int(line)


def stop(process: subprocess.Popen[str]) -> None:
    """Kill it, without a chance to tidy up."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    """After each kill every answered command is in the log, the log folds, and the page goes on from there."""
    database = tmp_path / "match.sqlite"
    rng = random.Random(20)
    match, cookie, acknowledged, written = "", None, 0, []
    for turn in range(KILLS):
        process, port = start(database)
        try:
            player = Player(port, cookie)
            player.open()
            cookie = player.cookie
            if not match:
                match = player.begin()
            shown = json.loads(player._ask("GET", "/api/snapshot")[1])["match"]
            assert shown["id"] == match, "the match is at the table again"
            assert shown["seq"] >= acknowledged
            playing = threading.Thread(target=player.play, args=(match,))
            playing.start()
            deadline = time.monotonic() + 30
            while player.acknowledged < acknowledged + 3 and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(rng.uniform(0.0, 0.4))
        finally:
            stop(process)
        playing.join(timeout=30)
        assert not playing.is_alive()
        acknowledged = max(acknowledged, player.acknowledged)
        store = Store(f"sqlite:///{database}")
        events = store.events(match)
        assert [e.seq for e in events] == list(range(1, len(events) + 1))
        assert len(events) >= acknowledged, f"turn {turn}: something acknowledged was lost"
        assert [(e.seq, e.body) for e in events[: len(written)]] == written, "what was written does not change"
        written = [(e.seq, e.body) for e in events]
        state = fold(tuple(decode(dict(e.body)) for e in events))
        for record in state.rounds:
            if record.evidence:
                assert store.picture(match, record.evidence) is not None, "an event without its picture"
        store.close()
    assert acknowledged >= 3 * KILLS, "commands were carried out between the kills"


def test_a_system_that_shuts_down_closes_the_log(tmp_path: Path) -> None:
    """SIGTERM ends the page as Ctrl+C does: nothing of the database is left beside its file."""
    database = tmp_path / "match.sqlite"
    (tmp_path / "photos").mkdir()
    shutil.copy(ROOT / "sample_images" / "rox-four-rows.jpg", tmp_path / "photos" / "a.jpg")
    command = [sys.executable, "-m", "webui.cli", "play", "rox", "--port", "0"]
    command += ["--source", str(tmp_path / "photos"), "--database", f"sqlite:///{database}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if "Stop with" in line:
            break
    time.sleep(0.3)
    process.terminate()
    process.wait(timeout=60)
    process.stdout.close()
    assert [p.name for p in tmp_path.glob("match.sqlite*")] == ["match.sqlite"]
