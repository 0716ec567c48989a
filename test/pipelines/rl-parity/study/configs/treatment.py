"""The arm under test: `python3 configs/treatment.py` prints it as JSON."""

from common import *  # noqa: F403

KL_BETA = 0.01  # as published

if __name__ == "__main__":
    as_json(dict(globals()))
