"""Where no camera sends pictures: that none is needed stands there, no black picture, and one way to send a photo."""

from __future__ import annotations

from dataclasses import replace

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from tests.webui.browsing import MARKS, errors_in, fits, resize, serving
from tests.webui.conftest import Table
from webui.rendering import _layout

pytestmark = MARKS
TOLD = "No camera sends a picture, and none is needed."


def test_a_camera_that_is_not_there_leaves_no_empty_picture(table: Table) -> None:
    """Neither where none was chosen nor where the one that is looked for does not answer."""
    table.begin()
    lost = replace(table.snapshot, state="no-camera", picture_size=None)
    lost = replace(lost, camera=replace(lost.camera, state="lost"))
    assert lost.match is not None
    assert "blind" in _layout(lost.match, lost).split()
    assert "blind" not in _layout(lost.match, replace(lost, picture_size=(960, 540))).split()


@pytest.mark.parametrize("width", [390, 1280])
def test_what_to_do_without_a_camera_is_told(browser: WebDriver, table: Table, width: int) -> None:
    """At a new match and in it; a photo is asked for in one place at a time."""
    resize(browser, width, 844)

    def offers() -> list[str]:
        labels = browser.find_elements(By.CSS_SELECTOR, "label[for=photo]")
        return [label.text for label in labels if label.is_displayed()]

    def look(url: str) -> None:
        seen = table.snapshot
        none = replace(seen, camera=replace(seen.camera, state="none"), picture_size=None)
        table.runner.board.publish(none)
        browser.get(f"{url}/matches/{table.match.id}")

    with serving(table.app) as url:
        browser.get(f"{url}/matches/new")
        assert TOLD in browser.find_element(By.CSS_SELECTOR, ".seats .felt.none").text
        fits(browser, "new-without-camera")
        table.begin()
        look(url)
        assert TOLD in browser.find_element(By.CLASS_NAME, "no-picture").text
        assert not browser.find_element(By.ID, "screen").is_displayed()
        fits(browser, "match-without-camera")
        assert offers() == ["Judge a photo"]
        stock = sorted((c.value for c in table.deck.scoring_cards.values()), reverse=True)
        assert table.do("start", value=[str(v) for v in stock[: table.match.deals]]).status_code == 200
        assert table.do("call", seat="south").status_code == 200
        look(url)
        assert offers() == ["Judge a photo"]
        assert browser.find_element(By.ID, "by-photo").is_displayed()
    assert errors_in(browser) == []
