"""Setting up step by step on the page: the steps of each game, what each keeps, and what a new match takes of it."""

from __future__ import annotations

import dataclasses

import pytest
from werkzeug.test import TestResponse

from tests.webui.cactus_fakes import CactusTable
from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame
from tests.webui.test_learning import FakeTeacher
from webui import create_app
from webui.camera.guide import STEPS, Residual
from webui.camera.learning import PROBLEMS, DeckShade, Known, Lesson, Place, Stage
from webui.sight.cameras.teacher import NO_PICTURE
from webui.texts import translations

KNOWN = Known("Desk", "good", 0.8, "", (1920, 1080), True, (), True, "", 2.6, (((1.0, 2.0), (300.0, 4.0)),))


@pytest.fixture
def page(table: Table, three_rows: FakeFrame) -> tuple[Table, FakeTeacher]:
    """A table with cards before a camera that can be learned."""
    fake = FakeTeacher()
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], teacher=fake))
    table.client = table.app.test_client()
    table.runner.see(three_rows)
    return table, fake


def send(table: Table, path: str, **fields: str) -> TestResponse:
    return table.client.post(f"/camera/guide/{path}", data={**fields, "token": table.token()})


def test_every_step_says_what_to_do_and_leads_on(page: tuple[Table, FakeTeacher]) -> None:
    """Each has its picture and the ways back and on; an unknown one is no page."""
    table, fake = page
    keys = STEPS["rox"]
    for key in keys:
        text = table.client.get(f"/camera/guide/{key}").text
        assert 'class="do"' in text
        assert text.count('aria-current="step"') == 1
        assert "picture.jpg" in text
        assert ('id="back"' in text) == (key != keys[0])
        assert ('id="on"' in text) == (key != keys[-1])
    assert table.client.get("/camera/guide/cacti").status_code == 404
    assert "Skip" in table.client.get("/camera/guide/lens").text
    fake.of = KNOWN
    assert "Next step" in table.client.get("/camera/guide/lens").text
    assert table.client.get("/camera/guide").headers["Location"] == "/camera/guide/seats"


def test_cactus_has_no_table_and_no_seats(cactus: CactusTable) -> None:
    """There the cacti tell plane and scale, and players sit anywhere."""
    app = create_app(dataclasses.replace(cactus.client.application.extensions["referee"], teacher=FakeTeacher()))
    client = app.test_client()
    for key in STEPS["cactus"]:
        assert client.get(f"/camera/guide/{key}").status_code == 200
    assert client.get("/camera/guide/seats").status_code == 404


def test_without_a_camera_to_learn_there_is_no_guide(table: Table) -> None:
    """A recording has nothing to set up."""
    assert table.client.get("/camera/guide").status_code == 404
    assert "/camera/guide" not in table.client.get("/camera").text


@pytest.mark.parametrize(
    ("px", "width", "grade"),
    [(1.9, 1920, "good"), (2.1, 1920, "usable"), (5.1, 1920, "poor"), (3.9, 3840, "good"), (2.1, 960, "usable")],
)
def test_a_misfit_has_a_plain_grade(px: float, width: int, grade: str) -> None:
    """Under two pixels is good, under five usable, in a picture of ordinary width; a larger one allows more."""
    assert Residual.of(px, (width, width * 9 // 16)).grade == grade


def test_the_residual_is_told_with_its_grade(page: tuple[Table, FakeTeacher]) -> None:
    """Of the lens, of the table with its squares, and of what was refused, with what to do."""
    table, fake = page
    fake.of = KNOWN
    assert "Off by 0.8 pixels" in table.client.get("/camera/guide/lens").text
    text = table.client.get("/camera/guide/table").text
    assert "Off by 2.6 pixels" in text
    assert "usable" in text
    assert "<polyline" in text
    fake.lesson = Lesson(Stage.FAILED, problem="poor", advice=("Lay it flat.",), error_px=7.25, what="table")
    text = table.client.get("/camera/guide/lens").text
    for said in ("Off by 7.2 pixels", "not good enough", "Lay it flat.", "nothing was kept"):
        assert said in text
    assert "Off by 7.2 pixels" not in table.client.get("/camera/guide/white").text
    fake.lesson = dataclasses.replace(fake.lesson, error_px=0.25)
    text = table.client.get("/camera/guide/lens").text
    assert "nothing was kept" in text
    assert "Off by 0.2 pixels" not in text, "what is good is not why it was refused"


def test_a_lesson_comes_back_to_its_step(page: tuple[Table, FakeTeacher]) -> None:
    """Begun in the guide it leads back there; begun on the camera's page, there."""
    table, fake = page
    for what, step, where in (("plane", "table", "/camera/guide/table"), ("white", "white", "/camera/guide/white")):
        sent = table.client.post("/camera/lesson", data={"what": what, "step": step, "token": table.token()})
        assert sent.headers["Location"] == where
    sent = table.client.post("/camera/lesson", data={"what": "table", "step": "//evil", "token": table.token()})
    assert sent.headers["Location"] == "/camera#learn"
    assert fake.asked == ["plane", "white", "table"]


def test_seats_fill_in_a_new_match(page: tuple[Table, FakeTeacher]) -> None:
    """Names are kept by side; two of one name are refused."""
    table, fake = page
    sent = send(table, "seats", **{"player-south": "Anna", "player-west": " Ben "})
    assert sent.headers["Location"] == "/camera/guide/area"
    assert fake.here.seats == {"south": "Anna", "west": "Ben"}
    assert 'value="Anna"' in table.client.get("/matches/new").text
    again = send(table, "seats", **{"player-south": "Anna", "player-west": "anna"})
    assert again.headers["Location"] == "/camera/guide/seats"
    assert "Two players have the same name." in table.client.get("/camera/guide/seats").text
    assert fake.here.seats == {"south": "Anna", "west": "Ben"}


def test_the_area_is_kept_and_taken_for_the_match(page: tuple[Table, FakeTeacher]) -> None:
    """It goes to the match that is here, and a new one takes it where nobody says otherwise."""
    table, fake = page
    table.begin()
    drawn = {"area": "10,10 900,10 900,500 10,500", "width": "1456", "height": "819"}
    assert send(table, "area", **drawn).headers["Location"] == "/camera/guide/white"
    size = table.runner.area_of_picture(propose=False)[0]
    assert fake.here.area_size == size
    agreed = [table.eye.area]
    fake.here = Place(area=((0.0, 0.0), (50.0, 0.0), (50.0, 50.0)), area_size=size)
    assert 'name="drawn"' not in table.client.get("/matches/new").text, "the camera may stand elsewhere"
    fake.here = dataclasses.replace(fake.here, stands=True)
    assert 'name="drawn"' in table.client.get("/matches/new").text
    table.begin(drawn="on")
    agreed.append(table.eye.area)
    table.begin()
    agreed.append(table.eye.area)
    assert [len(area) for area in agreed] == [4, 3, 0]
    crossed = send(table, "area", area="0,0 900,900 900,0 0,900", width="1000", height="1000")
    assert crossed.headers["Location"] == "/camera/guide/area"
    assert send(table, "area", area="").headers["Location"] == "/camera/guide/white"
    assert fake.here.area == ()


def test_an_area_of_another_picture_is_scaled_or_refused(page: tuple[Table, FakeTeacher]) -> None:
    """A camera that was set coarser since the page was opened has the same area; one that was turned has none."""
    table, fake = page
    table.begin()
    size = table.runner.area_of_picture(propose=False)[0]
    assert size is not None
    finer = {"width": str(size[0] * 2), "height": str(size[1] * 2)}
    send(table, "area", area="20,20 600,20 600,400", **finer)
    kept = ((10.0, 10.0), (300.0, 10.0), (300.0, 200.0))
    assert (fake.here.area, table.eye.area) == (kept, kept)
    turned = {"width": str(size[1]), "height": str(size[0])}
    assert send(table, "area", area="0,0 300,10 300,200", **turned).headers["Location"] == "/camera/guide/area"
    assert "draw the area again" in table.client.get("/camera/guide/area").text
    assert (fake.here.area, table.eye.area) == (kept, kept)


def test_white_is_what_somebody_taps_on(page: tuple[Table, FakeTeacher]) -> None:
    """A place in the picture; what is not white there is told, and nonsense is refused."""
    table, fake = page
    assert send(table, "white", x="0.25", y="0.4").status_code == 303
    assert fake.asked == ["white at 0.25 0.40"]
    assert "red 230, green 225, blue 210" in table.client.get("/camera/guide/white").text
    send(table, "white", x="0.25", y="0.8")
    assert "Nothing white is seen for sure" in table.client.get("/camera/guide/white").text
    for x, said in (("0.95", "That is not white"), ("0.85", "It was taken, but it looks coloured")):
        send(table, "white", x=x, y="0.4")
        assert said in table.client.get("/camera/guide/white").text
    for x in ("", "nan", "-0.1", "1.5", "left"):
        assert send(table, "white", x=x, y="0.5").status_code == 400


def test_what_cannot_be_written_down_holds_and_is_told(page: tuple[Table, FakeTeacher]) -> None:
    """Seats and area count until the program ends, the area for the match, too; people go on to the next step."""
    table, fake = page
    table.begin()
    fake.fails = PROBLEMS["held"]
    assert send(table, "seats", **{"player-south": "Anna"}).headers["Location"] == "/camera/guide/area"
    assert "It holds until the program ends" in table.client.get("/camera/guide/area").text
    drawn = {"area": "10,10 900,10 900,500 10,500", "width": "1456", "height": "819"}
    assert send(table, "area", **drawn).headers["Location"] == "/camera/guide/white"
    assert len(table.eye.area) == 4
    fake.fails = NO_PICTURE
    assert send(table, "seats", **{"player-south": "Anna"}).headers["Location"] == "/camera/guide/seats"
    fake.fails = PROBLEMS["single-photo"]
    table.client.post("/camera/lesson", data={"what": "table", "step": "lens", "token": table.token()})
    assert "only a single photo" in table.client.get("/camera/guide/lens").text


def test_a_tap_on_white_ends_what_the_search_before_said(page: tuple[Table, FakeTeacher]) -> None:
    """A failed search for white is over then; a tap on what is not white, or a lesson of the lens, leaves it."""
    table, fake = page
    fake.lesson = Lesson(Stage.FAILED, problem="no-white", what="white")
    send(table, "white", x="0.25", y="0.8")
    assert "stop" not in fake.asked
    send(table, "white", x="0.25", y="0.4")
    assert fake.asked[-1] == "stop"
    fake.lesson, fake.asked = Lesson(Stage.FAILED, problem="poor", what="table"), []
    send(table, "white", x="0.25", y="0.4")
    assert "stop" not in fake.asked


def test_the_colours_of_the_deck_are_told(page: tuple[Table, FakeTeacher]) -> None:
    """Each by its name, as known and as seen; what is hard to tell apart is said in words."""
    table, fake = page
    assert "compared with the deck’s colours" in table.client.get("/camera/guide/white").text
    fake.here = Place(
        shades=(
            DeckShade("fire", (200, 60, 40), (180, 70, 30), ("air",)),
            DeckShade("air", (220, 180, 40), (185, 72, 31)),
        )
    )
    text = " ".join(table.client.get("/camera/guide/white").text.split())
    assert text.count("rgb(180,70,30)") == 1
    assert "hard to tell from air" in text
    table.client.get("/language/de")
    assert "schwer zu unterscheiden von Luft" in table.client.get("/camera/guide/white").text


def test_the_guide_speaks_german(page: tuple[Table, FakeTeacher]) -> None:
    """Every sentence of every step is translated."""
    table, fake = page
    fake.of = KNOWN
    table.client.get("/language/de")
    for key in STEPS["rox"]:
        text = table.client.get(f"/camera/guide/{key}").text
        assert "Zurück" in text or key == "camera"
        assert "Next step" not in text
        assert "Skip" not in text
    assert translations("de").gettext("Next step") == "Nächster Schritt"
