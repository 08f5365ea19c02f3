"""Who may import whom: every import of the program is held against the table of the architecture."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("scoring", "vision", "calibration", "webui")

EYES = {"cv2", "numpy", "scipy", "skimage"}
WEB = {"flask", "werkzeug", "jinja2", "markupsafe", "sqlalchemy"}

ALLOWED: dict[str, set[str]] = {
    "scoring": {"shapely"},
    # Pillow and pillow-heif open what OpenCV cannot; onnxruntime runs the small network; shapely clips outlines.
    # Of scoring, vision knows the vocabulary of the table and the errors that a person can mend: no rule.
    "vision": EYES | {"PIL", "pillow_heif", "onnxruntime", "shapely", "scoring.table", "scoring.errors"},
    # reportlab writes the printable sheets; shapely mends outlines that cross themselves.
    "calibration": EYES | {"PIL", "reportlab", "shapely", "vision", "scoring.table", "scoring.errors", "scoring.deck"},
    # segno draws the page's address as a QR code.
    "webui": WEB | {"scoring", "segno"},
}
"""What each room may import besides the standard library and itself."""

DOORS = ("webui.bootstrap", "webui.cli", "webui.commands", "webui.sight")
# cryptography makes the certificate without which no phone gives its camera to a page.
DOORS_ALLOWED = ALLOWED["webui"] | EYES | {"PIL", "tqdm", "cryptography", "vision", "calibration"}
"""The modules of webui through which the eye is reached, and what they may import."""


def modules() -> dict[str, Path]:
    """Every module of the program by its name."""
    found = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, name: str) -> Iterator[str]:
    """Every module that a file imports, wherever in it; those that only type checkers see too."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            # `from scoring import rules` imports scoring.rules.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def allowed_for(name: str) -> set[str]:
    is_door = any(name == door or name.startswith(f"{door}.") for door in DOORS)
    room = name.split(".")[0]
    return (DOORS_ALLOWED if is_door else ALLOWED[room]) | {room}


def may_import(name: str, imported: str) -> bool:
    if imported.split(".")[0] in sys.stdlib_module_names:
        return True
    return any(imported == allowed or imported.startswith(f"{allowed}.") for allowed in allowed_for(name))


def test_every_import_is_in_the_table() -> None:
    """No room reaches into one that the architecture keeps from it."""
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules().items()
        for imported in imports(path, name)
        if not may_import(name, imported)
    ]
    assert wrong == []


@pytest.mark.parametrize("room", ROOMS)
def test_room_has_modules(room: str) -> None:
    """The walk sees every room: an empty walk would find nothing wrong."""
    assert sum(name.split(".")[0] == room for name in modules()) > 3


@pytest.mark.parametrize(
    ("name", "imported"),
    [
        ("scoring.rules", "numpy"),
        ("scoring.games.rox", "webui.log.store"),
        ("vision.observe", "scoring.rules"),
        ("vision.tracking.tracker", "scoring.games.rox"),
        ("vision.sources.photos", "flask"),
        ("vision.deck", "calibration.profile"),
        ("calibration.sheets.sheets", "scoring.rules"),
        ("webui.table.runner", "vision.live"),
        ("webui.match.live", "cv2"),
        ("webui.camera.setting_up", "vision.camera"),
        ("webui.owncopy.pages", "calibration.capture.deck"),
        ("webui.reports", "calibration"),
    ],
)
def test_table_forbids_what_the_architecture_forbids(name: str, imported: str) -> None:
    """The table itself says no where it must."""
    assert not may_import(name, imported)


@pytest.mark.parametrize(
    ("name", "imported"),
    [
        ("scoring.geometry", "shapely.geometry.Polygon"),
        ("vision.tracking.tracker", "scoring.table.Placement"),
        ("calibration.profile", "vision.camera.CameraModel"),
        ("webui.bootstrap", "vision.sources.sources.open_source"),
        ("webui.commands.live", "vision.live.Eye"),
        ("webui.sight.copies.readers", "calibration.capture.rox.deck"),
        ("webui.log.store", "sqlalchemy.Engine"),
    ],
)
def test_table_allows_what_the_architecture_allows(name: str, imported: str) -> None:
    """... and yes where it may."""
    assert may_import(name, imported)


def test_imports_are_read_in_every_form(tmp_path: Path) -> None:
    """An import within a function, an alias, a relative one and one of a name from a package are all seen."""
    path = tmp_path / "module.py"
    path.write_text(
        "import a.b as c\nfrom scoring import rules\nfrom . import near\nfrom ..up import far\n"
        "def f():\n    import hidden\n"
    )
    assert set(imports(path, "webui.part.module")) == {
        "a.b",
        "scoring.rules",
        "webui.part.near",
        "webui.up.far",
        "hidden",
    }


def test_package_files_say_what_lives_there() -> None:
    """Importing the vocabulary loads no rule: `__init__.py` holds a docstring alone, save the page's factory."""
    for name, path in modules().items():
        if path.name == "__init__.py":
            tree = ast.parse(path.read_text())
            assert ast.get_docstring(tree), name
            assert name == "webui" or len(tree.body) == 1, name
