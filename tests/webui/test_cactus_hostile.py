"""Matches of Cactus that were tampered with: refused in one line, or shown without an error, never carried out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.webui.cactus_fakes import CactusTable
from webui.log.archive import write_archive

JSON = {"Accept": "application/json"}
PAGES = ("", "/turns/1", "/turns/3", "/hangs/3/contacts", "/hangs/3/falls", "/stock", "/news")
MARKUP = "<script>alert(1)</script>"


def exported(table: CactusTable) -> list[dict[str, Any]]:
    """An exported match in its third turn, with a question open."""
    table.begin()
    table.play()
    table.play(roll="special")
    table.done("cactus_roll", face="color")
    piece = table.may()[0]
    table.cacti.hang(piece, table.due())
    table.cacti.touch("base", piece, gap=0.3, sigma=0.4, touching=0.5)
    table.see()
    return [json.loads(line) for line in write_archive(table.store, table.match.id)]


def changed(value: Any, change: Callable[[str, Any], Any]) -> Any:
    """The value with every field for which `change` gives something replaced by that."""
    if isinstance(value, dict):
        return {k: changed(v, change) if change(k, v) is None else change(k, v) for k, v in value.items()}
    return [changed(v, change) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("plane", "nowhere", False),
        ("gap_mm", 1e300, False),
        ("evidence", "../../x", True),
        ("cacti", [], True),
        ("color", MARKUP, False),
        ("piece", MARKUP, True),
        ("colors", {}, False),
        ("x_mm", 1e300, False),
        ("gap_mm", MARKUP, False),
        ("seat", "south", False),
        ("order", "K1,K1", False),
        ("outline", [], False),
        ("round", 99, False),
    ],
)
def test_tampered_import_harms_nobody(cactus: CactusTable, field: str, value: Any, shown: bool) -> None:
    """One field of every event is changed: a match that folds can be looked at, another one is refused."""
    lines = exported(cactus)

    def change(key: str, old: Any) -> Any:
        return value if key == field and (field != "cacti" or isinstance(old, list)) else None

    for line in lines[1:]:
        if "body" in line:
            line["body"] = changed(line["body"], change)
    lines[0]["id"] = "tampered"
    content = "\n".join(json.dumps(line) for line in lines).encode()
    data = {"token": cactus.token(), "file": (io.BytesIO(content), "x.jsonl")}
    answer = cactus.client.post("/matches/import", data=data, headers=JSON)
    if not shown:
        assert answer.status_code == 422
        assert answer.json is not None
        assert "match cannot be" in answer.json["message"]
        return
    assert answer.status_code == 200, answer.text
    for path in PAGES:
        page = cactus.client.get(f"/matches/tampered{path}")
        assert page.status_code == 200, path
        assert MARKUP not in page.text
