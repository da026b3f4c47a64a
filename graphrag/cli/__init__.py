"""The command ``surreal-graphrag``."""

import sys
from signal import SIGINT


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        # Imported here: Ctrl-C while this is read is as quiet as later on.
        from graphrag.cli.app import run

        sys.exit(run())
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        sys.stderr.write(
            "error: the command line needs an extra: pip install 'surreal-graphrag[cli]'\n"
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(128 + SIGINT)  # as shells have it
