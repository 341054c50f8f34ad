"""Shared fixtures: a tiny model and a small trained system, each made once."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
