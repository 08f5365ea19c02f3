"""`referee sheet`: what is printed."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.sheets.sheets import write_sheet, write_svg, write_target
from scoring.errors import RefereeError
from webui.cli import DONE
from webui.commands.scene import tell
from webui.sight.decks.folders import bundled_deck


def sheet(args: argparse.Namespace) -> int:
    """Write a PDF to print, true to scale, or an SVG for a laser cutter."""
    out = args.out or Path(f"{args.what}.{'svg' if args.svg else 'pdf'}")
    if args.svg and args.what != "cactus":
        raise RefereeError(f"{args.what}: only cactus is cut by laser; leave out --svg to get a PDF")
    if args.what == "target":
        pages = write_target(out, args.paper)
    else:
        deck = args.deck or bundled_deck(args.what)
        if args.deck is None and not deck.is_dir():
            raise RefereeError(f"{args.what}: no deck to print comes with this version; name your own with --deck DIR")
        if args.svg:
            tell({"sheet": str(out), "size_mm": list(write_svg(args.what, deck, out))})
            return DONE
        pages = write_sheet(args.what, deck, out, args.paper, args.backs)
    tell({"sheet": str(out), "pages": pages})
    return DONE
