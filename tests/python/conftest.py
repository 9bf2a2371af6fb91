"""Programs that several tests use, compiled once."""

import os
from pathlib import Path

import pytest
import verso

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    os.environ["VERSO_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def model(cache):
    return verso.compile(HERE / "model.c", flags=["-O2"])
