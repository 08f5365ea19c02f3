"""The catalogues of the page: collect the texts of the sources, merge them into the languages, compile.

``python -m tests.webui.catalogue`` after a text was changed; then translate what is new in ``messages.po`` and run it
once more.
"""

from __future__ import annotations

import io
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import webui

ROOM = Path(webui.__file__).parent
CATALOGUES = ROOM / "catalogues"
METHODS = [("templates/**.html", "jinja2"), ("templates/**.svg", "jinja2"), ("**.py", "python")]
OPTIONS = {"templates/**.html": {"trimmed": "true"}}
KEYWORDS = {"mark": None, "gettext": None, "_": None, "ngettext": (1, 2)}


def extract() -> Catalog:
    """Every text of the sources."""
    catalog = Catalog(project="table-referee", charset="utf-8")
    found = extract_from_dir(ROOM, METHODS, OPTIONS, keywords=KEYWORDS)  # type: ignore[arg-type]
    for filename, _, message, _, _ in sorted(found, key=lambda item: (item[0], item[1])):
        catalog.add(message, locations=[(filename, 1)])
    return catalog


def load(language: str) -> Catalog:
    """A language's catalogue as it is stored."""
    path = CATALOGUES / language / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


def merged(language: str) -> Catalog:
    """A language's catalogue with the texts that the sources have now."""
    catalog = load(language)
    catalog.update(extract(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def compiled(catalog: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def main() -> None:
    """Bring every language up to date and say what is missing."""
    for folder in sorted(p for p in CATALOGUES.iterdir() if (p / "LC_MESSAGES").is_dir()):
        catalog = merged(folder.name)
        with (folder / "LC_MESSAGES" / "messages.po").open("wb") as file:
            write_po(file, catalog, no_location=True, sort_output=True, width=120, omit_header=False)
        (folder / "LC_MESSAGES" / "messages.mo").write_bytes(compiled(catalog))
        missing = [m.id for m in catalog if m.id and not (all(m.string) if isinstance(m.string, tuple) else m.string)]
        print(f"{folder.name}: {len(catalog)} texts, {len(missing)} without a translation")
        for text in missing:
            print("  ", text)


if __name__ == "__main__":
    main()
