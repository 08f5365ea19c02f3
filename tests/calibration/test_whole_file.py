"""Files that are whole or not there: what a killed program left beside them is swept away."""

from __future__ import annotations

from pathlib import Path

from calibration.whole_file import sweep, write_whole, writing

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
