"""Files that are whole or not there: what a killed program left beside them is swept away."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.whole_file import keeping, sweep, write_whole, writing

CUT_OFF = f".referee-{'0a' * 16}"


def test_what_a_killed_program_left_is_swept_by_the_next_writing(tmp_path: Path) -> None:
    """Nothing else of the folder is touched, hidden or not."""
    (tmp_path / CUT_OFF).write_bytes(b"half")
    for name in (".profile", f".{'0a' * 16}", "a.json"):
        (tmp_path / name).write_bytes(b"of others")
    write_whole(tmp_path / "b.json", b"whole")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([".profile", f".{'0a' * 16}", "a.json", "b.json"])


def test_an_own_folder_is_swept_of_earlier_leavings_too(tmp_path: Path) -> None:
    """A folder that is not there has nothing to be swept."""
    for name in (CUT_OFF, f".{'0b' * 16}", ".other.json"):
        (tmp_path / name).write_bytes(b"half")
    assert sweep(tmp_path, own=True) == 2
    assert [p.name for p in tmp_path.iterdir()] == [".other.json"]
    assert sweep(tmp_path / "none", own=True) == 0


def test_what_is_being_written_is_not_swept(tmp_path: Path) -> None:
    """Two programs may write into one folder at the same moment."""
    with writing(tmp_path / "a") as one:
        one.write(b"1")
        assert sweep(tmp_path, own=True) == 0
        with writing(tmp_path / "b") as two:
            two.write(b"2")
    assert (tmp_path / "a").read_bytes() == b"1"
    assert (tmp_path / "b").read_bytes() == b"2"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("linked", [True, False])
def test_what_is_replaced_stays_beside_under_a_number(
    linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of several, also where the file system knows no links; the same again is no loss and is kept once."""

    def refused(self: Path, target: Path) -> None:
        raise PermissionError("no links here")

    if not linked:
        monkeypatch.setattr(Path, "hardlink_to", refused)
    out = tmp_path / "a.json"
    for data in (b"first", b"second", b"second", b"third"):
        with keeping(out) as kept:
            write_whole(out, data)
    assert [p.name for p in kept] == ["a.json.2"]
    there = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert there == {"a.json": b"third", "a.json.1": b"first", "a.json.2": b"second"}


def test_a_writing_that_fails_leaves_what_was_there_alone(tmp_path: Path) -> None:
    """Nothing was replaced, so nothing lies beside it."""
    out = tmp_path / "a.json"
    out.write_bytes(b"first")

    def fail() -> None:
        with keeping(out), writing(out) as file:
            file.write(b"half")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.json", b"first")]
