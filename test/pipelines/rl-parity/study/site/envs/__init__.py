"""Environments by name. `python3 -m envs` lists them."""

REGISTRY = {"qa-v1": "one model answers"}
