"""The page and the command line.

`create_app` makes the page; it starts no thread and opens no camera. `bootstrap` wires the program. `table.runner` is
the one thread that works and writes the `log`; `shown` is all that a page shows. `match`, `decks`, `camera`, `owncopy`
and `report` are pages; `rox`, `conex` and `cactus` hold what one game needs. `sight` sees for the pages, `commands` has
a module for each command of the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from webui.services import Services


def create_app(services: Services) -> Flask:
    """Make the Flask application.

    Parameters
    ----------
    services
        The program behind the page: log, runner, deck, pictures, door.

    Returns
    -------
    Flask
        Ready to serve; whoever calls starts the runner.
    """
    # Imported here, so that `import webui.log.store` in a script loads no web server.
    from webui.app import build

    return build(services)
