"""Keep the noise of model libraries off the terminal."""

import logging
import os
import warnings

_VARIABLES = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_VERBOSITY": "error",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def quiet() -> None:
    """Silence progress bars, warnings and logs of libraries; to be called before they load."""
    for name, value in _VARIABLES.items():
        os.environ.setdefault(name, value)
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())
    logging.lastResort = None
