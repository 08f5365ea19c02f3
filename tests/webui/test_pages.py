"""The page as a browser gets it: routes, commands, and what must not get through."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.webui.conftest import Art, Table
from tests.webui.fakes import FakeEye, FakeFrame, doubtful, lay
from webui import create_app
from webui.security import Door, host_is_ours, is_this_computer
from webui.services import Services
from webui.table.directing import Directing
from webui.table.director import Director, Script
from webui.table.runner import Runner

JPEG = b"\xff\xd8 a photo"


def test_making_the_application_starts_nothing(table: Table) -> None:
    """`create_app` starts no thread and asks the camera for nothing."""
    runner = Runner(table.store, table.eye, table.deck, table.source)
    create_app(Services(table.store, runner, Art(table.deck), Door(b"key"), [], "x"))
    assert runner._threads == []
    assert table.source._at_s == 0.0


def test_every_page_answers_and_loads_nothing_from_outside(table: Table, three_rows: FakeFrame) -> None:
    """Pages hold no inline script, no style attribute and no address but this program's own."""
    table.begin()
    match = table.to_verdict(three_rows)
    ruling = match.ruling
    assert ruling is not None
    key = ruling.rows[0].cards[0].key
    round_ = f"/matches/{match.id}/rounds/1"
    paths = [
        "/matches",
        "/matches/new",
        f"/matches/new?again={match.id}",
        f"/matches/{match.id}",
        round_,
        f"{round_}/cards/{key}",
        f"{round_}/rows/west",
        f"{round_}/rows/west/add/1",
        f"{round_}/awards",
        "/invite",
        "/camera",
        "/help/rox",
    ]
    for path in paths:
        answer = table.client.get(path)
        assert answer.status_code == 200, path
        assert not re.search(r"<script(?![^>]*src=\"/static/)|<style|\sstyle=|\son\w+=|javascript:", answer.text), path
        addresses = re.findall(r"(?:src|href|action|data-\w+)=\"([^\"]*://[^\"]*|//[^\"]*)\"", answer.text)
        assert addresses == [], path
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        labelled = set(re.findall(r'<label[^>]*for="([^"]+)"', answer.text))
        fields = re.findall(r'<(?:input(?![^>]*type="(?:hidden|checkbox|radio)")|select)[^>]*id="([^"]+)"', answer.text)
        assert {f for f in fields if not f.startswith("value-")} <= labelled, path
        for image in re.findall(r"<img[^>]*>", answer.text):
            assert "alt=" in image, path


def test_a_whole_match_can_be_played(table: Table, three_rows: FakeFrame) -> None:
    """Five rounds from the form of a new match to the winner."""
    match = table.begin(title="Tuesday <b>night</b>")
    for number in range(1, 6):
        match = table.to_verdict(three_rows)
        page = table.client.get(f"/matches/{match.id}").text
        assert f"The verdict on round {number}" in page
        assert "Tuesday &lt;b&gt;night&lt;/b&gt;" in page
        assert table.do("confirm").status_code == 200
        table.runner.see(replace(three_rows, moving=True))
    assert table.match.phase == "finished"
    assert table.match.winners == ("south",)
    page = table.client.get(f"/matches/{match.id}").text
    assert "Anna wins" in page
    assert page.count("<polyline") == 3


def test_no_count_is_shown_while_the_race_runs(table: Table, three_rows: FakeFrame) -> None:
    """Neither the page nor the JSON tells a count or a verdict before somebody called."""
    table.begin()
    table.do("start", value=["10", "9"])
    table.runner.see(three_rows)
    page = table.client.get(f"/matches/{table.match.id}").text
    data = table.client.get("/api/snapshot").json
    assert data["match"]["phase"] == "racing"
    assert data["match"]["ruling"] is None
    assert "counts" not in json.dumps(data)
    assert 'class="counts"' not in page
    assert "does not fit" not in page


def test_wrong_link_is_explained_in_words_and_pictures(table: Table, three_rows: FakeFrame) -> None:
    """The first wrong link is open, says what must have come, and shows the counts of the card before."""
    table.begin()
    match = table.to_verdict(three_rows)
    ruling = match.ruling
    assert ruling is not None
    row = next(r for r in ruling.rows if r.seat == "west")
    before, wrong = row.cards[2], row.cards[3]
    page = table.client.get(f"/matches/{match.id}").text
    assert "Card 4 is the first that does not fit" in page
    leader, count = before.counts[0]
    assert f"Most symbols round the card before are {leader} ({count}), so this stone must show {leader}" in page
    assert f"It shows {wrong.center}." in page


@pytest.mark.parametrize(("seats", "values"), [(("south", "north"), 1), (("south", "west", "north", "east"), 3)])
def test_two_to_four_can_play(table: Table, seats: tuple[str, ...], values: int) -> None:
    """One scoring card fewer than players is asked for, and each player has a button and a key."""
    names = {f"player-{s}": "" for s in ("south", "west", "north")}
    match = table.begin(**{**names, **{f"player-{s}": f"P{s}" for s in seats}})
    assert match.deals == values
    assert table.do("start", value=["10", "9", "8"][:values]).status_code == 200
    page = table.client.get(f"/matches/{match.id}").text
    assert re.findall(r'data-key="(\d)"', page) == [str(n) for n in range(1, len(seats) + 1)]


def test_card_is_corrected_in_two_taps(table: Table, three_rows: FakeFrame) -> None:
    """First the card, then the right one: the likeliest come first, and every card of the deck is there."""
    table.begin()
    wrong = three_rows.table.placements[3]
    other = next(f for f in table.deck.faces if f != wrong.face)
    frame = replace(three_rows, table=doubtful(three_rows.table, wrong.key, other, 0.93))
    match = table.to_verdict(frame)
    page = table.client.get(f"/matches/{match.id}").text
    link = f"/matches/{match.id}/rounds/1/cards/{wrong.key}"
    assert f'href="{link}"' in page
    chooser = table.client.get(link).text
    offered = re.findall(r'name="face" value="([^"]*)"', chooser)
    assert offered[:2] == [wrong.face, other]
    assert set(table.deck.faces) <= set(offered)
    assert table.do("declare_face", key=wrong.key, face=other, round="1").status_code == 200
    ruling = table.match.ruling
    assert ruling is not None
    assert next(c for r in ruling.rows for c in r.cards if c.key == wrong.key).face == other
    assert ruling.versions == 2
    assert table.do("undo").status_code == 200
    ruling = table.match.ruling
    assert ruling is not None
    assert next(c for r in ruling.rows for c in r.cards if c.key == wrong.key).face == wrong.face


def test_unsure_link_asks_with_a_magnified_picture(table: Table, three_rows: FakeFrame) -> None:
    """A doubtful card in a row that matters: two buttons, a close-up, and no agreement before the answer."""
    table.begin()
    card = three_rows.table.placements[12]  # the third of Clara's row
    assert card.face is not None
    other = next(f.id for f in table.deck.faces.values() if f.center != table.deck.faces[card.face].center)
    match = table.to_verdict(replace(three_rows, table=doubtful(three_rows.table, card.key, other)))
    page = table.client.get(f"/matches/{match.id}").text
    ruling = match.ruling
    assert ruling is not None
    assert not ruling.settled
    assert 'class="magnified"' in page
    assert f"/matches/{match.id}/pictures/{ruling.evidence}" in page
    assert 'id="confirm"' not in page
    assert table.do("confirm").status_code == 422
    question = ruling.questions[0]
    assert table.do("declare_link", key=question.about[-1], call="legal", round="1").status_code == 200
    while (ruling := table.match.ruling) and not ruling.settled:
        table.do("declare_link", key=ruling.questions[0].about[-1], call="legal", round="1")
    assert table.do("confirm").status_code == 200


def test_earlier_round_can_be_changed(table: Table, three_rows: FakeFrame) -> None:
    """The awards of a confirmed round are set by the players; the earlier ruling is kept in the log."""
    table.begin()
    table.to_verdict(three_rows, values=(9, 10))
    table.do("confirm")
    fields = {"points-south": "", "points-west": "10", "points-north": ""}
    assert table.do("declare_awards", round="1", **fields).status_code == 200
    assert {p.name: p.total for p in table.match.players} == {"Anna": 0, "Ben": 10, "Clara": 0}
    page = table.client.get(f"/matches/{table.match.id}/rounds/1").text
    assert "corrected 1 time" in page
    assert table.do("undo").status_code == 200
    assert {p.name: p.total for p in table.match.players} == {"Anna": 10, "Ben": 0, "Clara": 9}


def test_row_can_be_put_together_by_hand(table: Table, three_rows: FakeFrame) -> None:
    """A card that the camera missed is added at its place; a row that is none is emptied."""
    table.begin()
    table.to_verdict(three_rows)
    ruling = table.match.ruling
    assert ruling is not None
    keys = [f"key:{c.key}" for r in ruling.rows if r.seat == "north" for c in r.cards]
    free = next(f for f in table.deck.faces if f not in {p.face for p in three_rows.table.placements})
    answer = table.do("insert_card", seat="north", card=keys, place="5", added=f"face:{free}", round="1")
    assert answer.status_code == 200
    ruling = table.match.ruling
    assert ruling is not None
    assert [c.face for r in ruling.rows if r.seat == "north" for c in r.cards][5] == free
    assert table.do("declare_row", seat="north", round="1").status_code == 200
    ruling = table.match.ruling
    assert ruling is not None
    assert all(not r.cards for r in ruling.rows if r.seat == "north")


def test_wrong_button_sequence_is_refused_kindly(table: Table) -> None:
    """A second tap gets a friendly sentence and changes nothing."""
    table.begin()
    seq = table.match.seq
    assert table.do("start", seq=seq, value=["10", "9"]).status_code == 200
    again = table.do("start", seq=seq, value=["10", "9"])
    assert again.status_code == 409
    assert "moved on" in again.json["message"]
    assert table.match.phase == "racing"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"command": "fly"},
        {"command": "call"},
        {"command": "call", "seat": "up"},
        {"command": "call", "seat": "south", "seq": "x"},
        {"command": "call", "seat": "south", "seq": "-1"},
        {"command": "call", "seat": "south", "seq": "9" * 50},
        {"command": "call", "seat": "south", "command_id": "../../x"},
        {"command": "start"},
        {"command": "start", "value": "ten"},
        {"command": "start", "value": "1e9"},
        {"command": "declare_link", "key": "1", "call": "uncertain"},
        {"command": "declare_face", "key": "x" * 999, "face": "R01"},
        {"command": "declare_row", "seat": "south", "card": "something"},
        {"command": "declare_row", "seat": "south", "round": "one"},
        {"command": "declare_awards", "points-south": "many"},
        {"command": "\x00"},
    ],
)
def test_bad_input_is_a_clear_400(table: Table, fields: dict[str, str]) -> None:
    """What no page of ours sends is answered with the field at fault, and nothing is stored."""
    match = table.begin()
    headers = {"Accept": "application/json", "X-Referee-Token": table.token()}
    answer = table.client.post(f"/matches/{match.id}/do", data={"seq": "1", **fields}, headers=headers)
    assert answer.status_code == 400
    assert len(answer.json["message"]) > 20
    assert table.store.last_seq(match.id) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"player-west": "", "player-north": ""},
        {"player-south": "A" * 25},
        {"player-south": "Ben"},
        {"min_row": "7"},
        {"rounds": "0"},
        {"title": "x" * 65},
        {"player-south": "\x07"},
    ],
)
def test_impossible_match_is_not_begun(table: Table, fields: dict[str, str]) -> None:
    """A form that makes no match is refused with a sentence and stores nothing."""
    form = {"player-south": "Anna", "player-west": "Ben", "min_row": "3", "rounds": "5", **fields}
    headers = {"Accept": "application/json"}
    answer = table.client.post("/matches/new", data={**form, "token": table.token()}, headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.json["message"]
    assert table.store.matches() == ()


def test_commands_of_other_pages_are_refused(table: Table) -> None:
    """No token, a wrong token, another origin or another site: 403, whatever the command."""
    match = table.begin()
    good = table.token()
    data = {"command": "start", "seq": "1", "value": ["10", "9"]}
    for headers in (
        {},
        {"X-Referee-Token": "0" * 64},
        {"X-Referee-Token": "ü"},
        {"X-Referee-Token": good, "Origin": "http://evil.example"},
        {"X-Referee-Token": good, "Origin": "null"},
        {"X-Referee-Token": good, "Sec-Fetch-Site": "cross-site"},
        {"X-Referee-Token": good, "Sec-Fetch-Site": "same-site"},
    ):
        encoded = {k: v.encode().decode("latin-1") for k, v in headers.items()}
        assert table.client.post(f"/matches/{match.id}/do", data=data, headers=encoded).status_code == 403, headers
    stranger = table.app.test_client()
    assert stranger.post(f"/matches/{match.id}/do", data=data, headers={"X-Referee-Token": good}).status_code == 403
    assert table.store.last_seq(match.id) == 1
    fine = {"X-Referee-Token": good, "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert table.client.post(f"/matches/{match.id}/do", data=data, headers=fine).status_code == 303


def test_foreign_host_names_are_refused(table: Table) -> None:
    """A web page elsewhere that points its own name at this computer gets nothing."""
    assert table.client.get("/matches", headers={"Host": "evil.example"}).status_code == 400
    assert table.client.get("/matches", headers={"Host": "192.168.1.20:8000"}).status_code == 200
    assert host_is_ours("127.0.0.1:8000")
    assert host_is_ours("[::1]:8000")
    assert host_is_ours("localhost")
    for name in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b", "[::1"):
        assert not host_is_ours(name), name
    assert is_this_computer("127.0.0.5")
    assert is_this_computer("::ffff:127.0.0.1")
    for address in ("192.168.1.2", "", None, "0.0.0.0", "fe80::1"):
        assert not is_this_computer(address), address


def test_guests_need_the_join_code(table: Table) -> None:
    """Another device sees nothing without the code, is in with it, and cannot guess for long."""
    clock = [0.0]
    door = Door(b"key", "ABC234", clock=lambda: clock[0])
    runner = Runner(table.store, table.eye, table.deck, None)
    app = create_app(Services(table.store, runner, Art(table.deck), door, ["http://10.0.0.7:8000/"], "x"))
    guest = app.test_client()
    from_afar = {"environ_base": {"REMOTE_ADDR": "10.0.0.9"}}
    assert guest.get("/matches", **from_afar).status_code == 403
    assert guest.get("/picture.jpg", **from_afar).status_code == 403
    assert guest.get("/matches?code=WRONG9", **from_afar).status_code == 403
    joined = guest.get("/matches?code=abc234", **from_afar)
    assert (joined.status_code, joined.headers["Location"]) == (303, "/matches")
    assert guest.get("/matches", **from_afar).status_code == 200
    invitation = guest.get("/invite", **from_afar).text
    assert "ABC234" in invitation
    assert "<svg" in invitation
    host = app.test_client()
    assert host.get("/matches").status_code == 200, "the computer at the table needs no code"
    other = app.test_client()
    other.get("/matches", **from_afar)
    assert other.post("/", data={"code": "ABC234"}, **from_afar).status_code == 303
    assert other.get("/matches", **from_afar).status_code == 200
    phone = app.test_client()
    asked = phone.get("/phone", **from_afar)
    assert 'action="/phone"' in asked.text, "whoever types the code comes to the page that was wanted"
    assert phone.post("/phone", data={"code": "ABC234"}, **from_afar).headers["Location"] == "/phone"
    elsewhere = app.test_client()
    assert elsewhere.post("/camera/learn-nothing", data={"code": "ABC234"}, **from_afar).headers["Location"] == "/"
    thief = app.test_client()
    answers = [thief.get(f"/matches?code=A{n:05d}", **from_afar).status_code for n in range(30)]
    assert answers[-1] == 429
    assert thief.get("/matches?code=ABC234", **from_afar).status_code == 429
    clock[0] = 61.0
    assert thief.get("/matches?code=ABC234", **from_afar).status_code == 303


@pytest.mark.parametrize(
    "path",
    [
        "/cards/..%2f..%2fdeck.json",
        "/cards/../deck.json",
        "/static/../webui/app.py",
        "/static/..%2fapp.py",
        "/matches/nothing",
        "/matches/nothing/export",
        "/matches/nothing/rounds/1",
        "/matches/..%2f..%2fetc%2fpasswd/export",
        "/matches/x/pictures/..%2f..%2fetc%2fpasswd",
        "/help/../../etc/passwd",
        "/language/xx",
    ],
)
def test_only_known_things_are_served(table: Table, path: str) -> None:
    """Names from outside are looked up, never opened as files."""
    assert table.client.get(path).status_code == 404


def test_large_bodies_are_refused(table: Table) -> None:
    """More than a photo's worth of bytes is refused before it is read."""
    match = table.begin()
    table.app.config["MAX_CONTENT_LENGTH"] = 1000
    headers = {"Accept": "application/json", "X-Referee-Token": table.token()}
    data = {"photo": (io.BytesIO(JPEG + b"0" * 5000), "a.jpg"), "seq": "1"}
    answer = table.client.post(f"/matches/{match.id}/photo", data=data, headers=headers)
    assert answer.status_code == 413
    assert "too large" in answer.json["message"]


def test_uploaded_photo_is_judged(table: Table, three_rows: FakeFrame) -> None:
    """A photo sent after the call is the evidence; something else than a picture is refused with a sentence."""
    match = table.begin()
    table.do("start", value=["10", "9"])

    def send(data: bytes) -> tuple[int, str]:
        body = {"photo": (io.BytesIO(data), "../../evil.jpg"), "seq": str(table.match.seq)}
        headers = {"Accept": "application/json", "X-Referee-Token": table.token()}
        answer = table.client.post(f"/matches/{match.id}/photo", data=body, headers=headers)
        return answer.status_code, answer.json["message"]

    table.eye.photo = three_rows
    assert send(JPEG) == (422, "The race is on: first tap who called.")
    table.do("call", seat="south")
    assert send(b"GIF89a")[0] == 422
    assert send(b"")[0] == 400
    table.eye.photo = FakeFrame(lay({}))
    assert send(JPEG) == (422, "No cards can be read in this picture.")
    table.eye.photo = three_rows
    assert send(JPEG)[0] == 200
    assert table.match.phase == "verdict"


def test_picture_is_encoded_once_for_all_viewers(
    table: Table, three_rows: FakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten viewers cost one encoding; who has the picture already is told so."""
    monkeypatch.setattr("webui.match.live.PICTURE_WAIT_S", 0.0)
    assert table.client.get("/picture.jpg").status_code == 404
    table.begin()
    table.runner.see(three_rows)
    answers = [table.client.get("/picture.jpg") for _ in range(10)]
    assert {a.status_code for a in answers} == {200}
    assert table.eye.encoded == 1
    tag = answers[0].headers["ETag"]
    assert table.client.get("/picture.jpg", headers={"If-None-Match": tag}).status_code == 304
    table.runner.see(three_rows)
    assert table.client.get("/picture.jpg", headers={"If-None-Match": tag}).status_code == 200


def test_news_tell_only_what_is_new(table: Table, three_rows: FakeFrame) -> None:
    """The page's parts come when they have changed, and the version grows with every change."""
    match = table.begin()
    first = table.client.get(f"/matches/{match.id}/news?after=-1").json
    assert "Round 1" in first["parts"]["stage"]
    table.runner.see(three_rows)
    second = table.client.get(f"/matches/{match.id}/news?after={first['version']}&stage={first['stage']}").json
    assert second["version"] > first["version"]
    assert second["parts"] == {}
    assert len(second["cards"]) == len(three_rows.table.placements)
    table.do("start", value=["10", "9"])
    third = table.client.get(f"/matches/{match.id}/news?after={second['version']}&stage={second['stage']}").json
    assert "The race is on!" in third["parts"]["stage"]


def test_other_matches_can_be_watched_and_continued(table: Table, three_rows: FakeFrame) -> None:
    """A match that is not at this table is shown from the log, without its camera, and can be brought here."""
    first = table.begin(title="First")
    table.to_verdict(three_rows)
    second = table.begin(title="Second")
    listed = table.client.get("/matches").text
    assert "First" in listed
    assert "Second" in listed
    page = table.client.get(f"/matches/{first.id}").text
    assert "The verdict on round 1" in page
    assert "Continue it at this table" in page
    news = table.client.get(f"/matches/{first.id}/news?after=0").json
    assert news["pause_ms"] > 0
    assert news["cards"] == []
    assert table.client.get("/").headers["Location"] == f"/matches/{second.id}"
    table.client.post(f"/matches/{first.id}/attend", data={"token": table.token()})
    assert table.client.get("/").headers["Location"] == f"/matches/{first.id}"


def test_export_and_import_over_the_page(table: Table, three_rows: FakeFrame) -> None:
    """What one club exports another one imports; a file that is no match is refused with its line."""
    match = table.begin()
    table.to_verdict(three_rows)
    sent = table.client.get(f"/matches/{match.id}/export")
    assert sent.headers["Content-Disposition"].endswith(f'rox-{match.id}.jsonl"')
    lines = sent.data

    def take_in(data: bytes) -> tuple[int, str]:
        body = {"file": (io.BytesIO(data), "match.jsonl"), "token": table.token()}
        answer = table.client.post("/matches/import", data=body, headers={"Accept": "application/json"})
        return answer.status_code, answer.json["message"]

    table.do("confirm")
    assert take_in(lines)[0] == 200
    assert len(table.store.matches()) == 2
    status, message = take_in(lines[: len(lines) // 2])
    assert status == 422
    assert message.startswith("line ")
    assert take_in(b"\xff\xfe")[0] == 400
    forged = lines.replace(b'"RaceStarted"', b'"Surprise"')
    assert take_in(forged)[0] == 422
    assert len(table.store.matches()) == 2


def test_language_follows_the_browser_and_can_be_switched(table: Table) -> None:
    """German for a German browser, English otherwise, and a switch that leads back to this program only."""
    german = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
    assert '<html lang="de">' in table.client.get("/matches", headers=german).text
    assert '<html lang="en">' in table.client.get("/matches", headers={"Accept-Language": "fr"}).text
    switched = table.client.get("/language/de?back=/matches/new")
    assert switched.headers["Location"] == "/matches/new"
    assert "Wer sitzt wo?" in table.client.get("/matches/new").text
    for evil in ("http://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"):
        assert table.client.get("/language/en", query_string={"back": evil}).headers["Location"] == "/", evil


def test_names_are_text_and_never_markup(table: Table, three_rows: FakeFrame) -> None:
    """A name with angle brackets stays a name on every page that shows it."""
    table.begin(**{"player-south": "<i>A</i>&\"'"})
    match = table.to_verdict(three_rows)
    table.do("confirm")
    for path in (f"/matches/{match.id}", f"/matches/{match.id}/rounds/1", f"/matches/{match.id}/rounds/1/rows/south"):
        page = table.client.get(path).text
        assert "<i>A" not in page
        assert "&lt;i&gt;A" in page


class Far(FakeFrame):
    """A picture from four times as far away."""

    @property
    def quads(self) -> dict[str, Any]:
        return {key: tuple((x / 4, y / 4) for x, y in quad) for key, quad in super().quads.items()}


def test_camera_page_says_what_is_wrong(table: Table, three_rows: FakeFrame) -> None:
    """Dark, blurred, nothing read, cards too small: each has its own sentence."""
    table.runner.see(replace(three_rows, hint="dark"))
    assert "too dark" in table.client.get("/camera").text
    table.runner.see(FakeFrame(lay({})))
    assert "No card is read yet" in table.client.get("/camera").text
    table.runner.see(three_rows)
    page = table.client.get("/camera").text
    assert f"{len(three_rows.table.placements)} cards are read" in page
    assert "Bring the camera nearer" not in page
    table.runner.see(Far(replace(three_rows.table)))
    assert "Bring the camera nearer" in table.client.get("/camera").text
    assert "What the referee sees now" in page
    table.source.state = "lost"
    table.runner.step()
    page = table.client.get("/camera").text
    assert "No picture comes" in page
    assert "What the referee saw last" in page
    assert '<img class="past"' in page


def test_photos_only_table_needs_no_camera(table: Table) -> None:
    """Without a source the page offers a photo and says so."""
    runner = Runner(table.store, FakeEye(), table.deck, None)
    app = create_app(Services(table.store, runner, Art(table.deck), Door(b"k"), [], "x"))
    assert app.test_client().get("/api/snapshot").json["state"] == "no-camera"


def test_page_of_a_replaced_demonstration_goes_to_the_new_one(table: Table) -> None:
    """Its match is gone with the turn of the recording; who still looks at it is led on, and nobody else."""
    old = table.begin()
    new = table.begin()
    table.store.remove(old.id)
    assert table.client.get(f"/matches/{old.id}").status_code == 404
    runner = table.runner
    runner._directing = Directing(Director(Script({}, ())), runner._desk, runner._judging, runner._carry_out)
    table.runner.step()
    assert table.client.get(f"/matches/{old.id}").location == f"/matches/{new.id}"
    assert table.client.get(f"/matches/{old.id}/news").json == {"go": f"/matches/{new.id}"}
    assert table.client.get(f"/matches/{new.id}").status_code == 200


def test_finished_match_is_not_offered_to_go_on_with(table: Table) -> None:
    """The list of matches names it; only one that runs is continued."""
    table.begin()
    assert "Go on:" in table.client.get("/matches").text
    assert table.do("finish").status_code == 200
    assert table.match.phase == "finished"
    page = table.client.get("/matches").text
    assert "Go on:" not in page
    assert table.match.title in page
