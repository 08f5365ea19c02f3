"""A report of a fault from the page: everything in it is shown with its size before, and may be left out."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import zipfile
from pathlib import Path
from typing import cast

from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame
from tests.webui.test_learning import FakeTeacher
from webui import create_app
from webui.owncopy.copying import Copyist, OwnCopy
from webui.report.bundle import in_words


def files_on(page: str) -> dict[str, str]:
    """Size by name of the files that the page lists."""
    return dict(re.findall(r'value="([^"]+)" checked> [^<]+<span class="quiet">([^<]+)</span>', page))


def saved(table: Table, names: list[str]) -> zipfile.ZipFile:
    answer = table.client.post("/report", data={"file": names, "token": table.token()})
    assert answer.status_code == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    return zipfile.ZipFile(io.BytesIO(answer.data))


def test_the_report_holds_what_the_page_listed(table: Table, three_rows: FakeFrame) -> None:
    """Versions, the page, the picture of now, the match and its evidence: each by name and size, and nothing else."""
    match = table.begin()
    table.to_verdict(three_rows)
    listed = files_on(table.client.get("/report").text)
    assert {"versions.json", "page.json", "now.jpg", f"match-{match.id}.jsonl"} < set(listed)
    pictures = [name for name in listed if name.startswith("pictures/")]
    assert pictures
    assert all(re.fullmatch(r"pictures/event-\d{3}-[0-9a-f]{8}\.\w+", name) for name in pictures)
    with saved(table, list(listed)) as bundle:
        assert set(bundle.namelist()) == set(listed)
        for info in bundle.infolist():
            if info.filename != "page.json":
                assert in_words(info.file_size) == listed[info.filename]
        assert json.loads(bundle.read(f"match-{match.id}.jsonl").splitlines()[0])["kind"] == "match"


def test_what_was_left_out_is_not_in_it(table: Table, three_rows: FakeFrame) -> None:
    """Without their pictures if the players want that; a name that is no part brings nothing in."""
    table.begin()
    table.to_verdict(three_rows)
    with saved(table, ["versions.json", "../../etc/passwd"]) as bundle:
        assert bundle.namelist() == ["versions.json"]


def test_a_table_without_a_match_can_report_too(table: Table) -> None:
    """Before the first match the versions are what there is."""
    listed = files_on(table.client.get("/report").text)
    assert "versions.json" in listed
    assert not any(name.startswith("match-") for name in listed)


def test_the_calibration_is_part_of_it(table: Table) -> None:
    """What was learned of the camera is listed where there is something."""
    fake = FakeTeacher()
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], teacher=fake))
    table.client = table.app.test_client()
    assert "calibration/camera.json" not in files_on(table.client.get("/report").text)
    fake.kept = b'{"kind": "camera"}'
    assert files_on(table.client.get("/report").text)["calibration/camera.json"] == "18 B"


def test_a_report_is_saved_by_the_page_only(table: Table) -> None:
    """Another site's form gets nothing."""
    assert table.client.post("/report", data={"file": ["versions.json"]}).status_code == 403


class _Copies:
    """One copy that was learned, with its files."""

    def __init__(self, folder: Path) -> None:
        self._files = {"00.jpg": folder / "00.jpg", "copy.json": folder / "copy.json"}
        for n, path in enumerate(self._files.values()):
            path.write_bytes(b"x" * 1000 * (n + 1))

    def copies(self) -> tuple[OwnCopy, ...]:
        return (OwnCopy("ours", "Ours <b>", "rox"),)

    def files(self, key: str) -> dict[str, Path]:
        return self._files


def test_a_copy_is_offered_and_goes_in_only_where_it_is_ticked(table: Table, tmp_path: Path) -> None:
    """Its photos, and what was read and answered, each with its size; nothing of it is ticked before."""
    copies = cast(Copyist, _Copies(tmp_path))
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], copyist=copies))
    table.client = table.app.test_client()
    page = table.client.get("/report").text
    assert 'the photos of your copy “Rox: Ours &lt;b&gt;” <span class="quiet nowrap">1.0 kB' in page
    assert 'value="copies/ours/answers/"> put 1 file in, too' in page
    with saved(table, list(files_on(page))) as bundle:
        assert not [name for name in bundle.namelist() if "copies" in name]
    with saved(table, ["copies/ours/photos/"]) as bundle:
        assert bundle.namelist() == ["copies/ours/photos/00.jpg"]
