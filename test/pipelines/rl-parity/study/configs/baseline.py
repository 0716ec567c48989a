"""The arm that everything is compared with: `python3 configs/baseline.py` prints it as JSON."""

from common import *  # noqa: F403

if __name__ == "__main__":
    as_json(dict(globals()))
