"""The page and the command line.

`create_app` makes the page; it starts no thread and opens no camera. `bootstrap` wires the program, `runner` is the one
thread that works and writes, `snapshot` is all that a page shows; `rox`, `conex` and `cactus` hold what one game needs,
`commands` what the command line does.
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
    # Imported here, so that `import webui.store` in a script loads no web server.
    from webui.app import build

    return build(services)
