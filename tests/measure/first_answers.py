"""How a person who knows a copy answers the page's questions: puts right what is wrong, and types what a ruler says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from tests.measure.first_person import Person
from tests.measure.first_truth import Truth

Json = dict[str, Any]
Array = NDArray[np.float64]
FIELDS = {"corners": "corner", "size_mm": "size"}
"""How fields of the page begin, where they are not called as what they ask."""


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
    names = [e.get_attribute("name") or "" for e in person.see("#ask [name^=p]")]
    numbers = {int(found[1]) for name in names if (found := re.match(r"p(\d+)-", name))}
    for n in sorted(numbers):
        real, corrected = truth.of(parts[n]), person.tried.corrected
        folded = _unfold(person, n)
        for ask in parts[n]["asks"]:
            sizes = truth.measured(parts[n], ask)
            # what is uncertain and what a ruler tells is asked on pages of their own
            if not any(
                name.startswith(f"p{n}-{field}") for field in (sizes or (FIELDS.get(ask, ask),)) for name in names
            ):
                continue
            person.tried.questions += 1
            for name, mm in sizes.items():
                person.type(person.see(f"#ask input[name=p{n}-{name}]")[0], f"{mm:g}")
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
                _put_corners_right(person, n, real, truth.deck["card_mm"])
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


def _put_corners_right(person: Person, n: int, real: Mapping[str, Any], card_mm: Sequence[float]) -> None:
    outlines = {}
    for i in range(4):
        for region in person.see(f"#ask input[name=p{n}-corner-{i}-region]"):
            points = [tuple(map(float, p.split(","))) for p in (region.get_attribute("value") or "").split()]
            if points:
                outlines[i] = np.mean(points, axis=0)
    for i, best in _which_corners(outlines, real["corners"], np.array(card_mm, float)).items():
        value = person.see(f"#ask input[name=p{n}-corner-{i}-value]")[0]
        if value.get_attribute("value") != str(best["value"]):
            person.tried.corrected += 1
            person.type(value, best["value"])
        colour = Select(person.see(f"#ask select[name=p{n}-corner-{i}-color]")[0])
        if colour.first_selected_option.get_attribute("value") != best["color"]:
            person.tried.corrected += 1
            person.tried.taps += 1
            colour.select_by_value(best["color"])


def _which_corners(seen: Mapping[int, Array], real: Sequence[Json], card_mm: Array) -> dict[int, Json]:
    """The true corner at each place (2,) in mm that is shown, with the card's picture either way up."""
    if not seen:
        return {}
    true = np.array([np.mean(c["region"], axis=0) for c in real])
    places = np.array(list(seen.values()))
    ways = []
    for way in (true, card_mm - true):
        off = np.linalg.norm(places[:, None] - way[None], axis=2)
        shown, which = linear_sum_assignment(off)
        pairs = {list(seen)[a]: real[b] for a, b in zip(shown, which, strict=True)}
        ways.append((float(off[shown, which].sum()), pairs))
    return min(ways, key=lambda way: way[0])[1]
