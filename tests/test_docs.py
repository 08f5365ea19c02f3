"""README and CONTRIBUTING say what the program is: they are held against it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from tests.test_imports import ALLOWED, DOORS, DOORS_ALLOWED, ROOMS
from webui.cli import build_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command of `referee` by its name."""
    actions = build_parser()._actions
    found = next(a for a in actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


def section(text: str, title: str) -> str:
    """What stands below a heading, up to the next."""
    return re.split(r"^#+ ", text.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_the_table_of_commands_is_complete() -> None:
    """Every command is in the README's table, and nothing else is."""
    rows = [line.split("|")[1] for line in section(README, "Commands").splitlines() if line.startswith("| `referee")]
    named = {name for row in rows for name in re.findall(r"`referee (\w+)", row)}
    assert named == set(commands())


def test_options_that_the_readme_names_exist() -> None:
    """An option that was renamed or dropped is renamed or dropped in the README too."""
    known = {option for parser in commands().values() for option in parser._option_string_actions}
    prose = re.sub(r"^.*tests\.training.*$|`--hours[^`]*`", "", README, flags=re.MULTILINE)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", prose))
    assert named
    assert named <= known | {"--help"}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    """Pictures and files that are linked are in the repository."""
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")]
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_files_that_are_named_exist(text: str) -> None:
    """A path in code type that begins with a room leads somewhere."""
    named = re.findall(rf"`((?:{'|'.join(ROOMS)}|tests|sample_images)/[\w./-]*)`", text)
    modules = [m.replace(".", "/") + ".py" for m in re.findall(r"python -m (tests\.[\w.]+)", text)]
    assert named
    assert modules
    assert [path for path in [*named, *modules] if not (ROOT / path).exists()] == []


def test_modules_of_the_picture_exist() -> None:
    """The architecture picture names no module that is gone."""
    picture = CONTRIBUTING.split("## Architecture\n\n```\n", 1)[1].split("```", 1)[0]
    lines = picture.splitlines()[2:]
    named = set(re.findall(r"[a-z][a-z_]+", " ".join(lines[: next(i for i, x in enumerate(lines) if "└" in x)])))
    there = {path.stem for room in ROOMS for path in (ROOT / room).rglob("*")} | set(ROOMS)
    assert named - there == set()


def test_the_import_table_is_the_one_that_is_tested() -> None:
    """CONTRIBUTING's table says what `test_imports` allows."""
    lines = section(CONTRIBUTING, "Who may import whom").splitlines()
    rows = [line.split("|")[1:3] for line in lines if line.startswith("|") and "`" in line]
    table = {tuple(re.findall(r"`([\w.]+)`", left)): set(re.findall(r"[A-Za-z_][\w.]*", right)) for left, right in rows}
    for room in ROOMS:
        assert table[(room,)] == ALLOWED[room]
    assert table[DOORS] - {"all", "of", "that", "and"} == DOORS_ALLOWED - ALLOWED["webui"]
    assert len(table) == len(ROOMS) + 1
