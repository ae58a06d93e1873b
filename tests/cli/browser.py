"""A headless browser, and a Jupyter server on loopback to look at with it."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.nbgrader_class import nbgrader_environment

BROWSER_VARIABLE = "GRADE_TEST_BROWSER"
"""Path of a Chromium or Chrome, where none is on the PATH."""

WAIT_MS = 180_000
"""A busy machine takes its time; nothing here measures any."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Server(NamedTuple):
    """A running Jupyter server."""

    url: str
    token: str


def browser_path() -> str:
    """Return a browser's path; skips with the reason if this machine has none."""
    named = os.environ.get(BROWSER_VARIABLE)
    found = named or next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no Chromium or Chrome on this machine's PATH, and {BROWSER_VARIABLE} names none")
    return found


@contextmanager
def jupyter_server(folder: Path) -> Iterator[Server]:
    """Serve a folder, with nbgrader's formgrader and JupyterLab, as installing them enables both."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(f"http://127.0.0.1:{port}", secrets.token_hex(16))
    command = [sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser", "--ip=127.0.0.1"]
    command += [f"--port={port}", f"--ServerApp.root_dir={folder}", f"--IdentityProvider.token={server.token}"]
    with (folder / "server.log").open("w+") as log:
        running = subprocess.Popen(command, cwd=folder, env=nbgrader_environment(), stdout=log, stderr=log)
        try:
            _wait_for(server, running, folder / "server.log")
            yield server
        finally:
            running.terminate()
            running.wait(60)


def _wait_for(server: Server, running: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + WAIT_MS / 1000
    while time.monotonic() < until and running.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/api", timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")


@contextmanager
def open_page(server: Server) -> Iterator[Any]:
    """A page of a headless browser that the server lets in; fails at the end if a script on it did."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: the extra browser")
    path = browser_path()
    # Chromium's own sandbox does not work for root, as in most containers.
    arguments = [*_ARGUMENTS, *(["--no-sandbox"] if os.getuid() == 0 else [])]
    errors: list[str] = []
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments, timeout=WAIT_MS)
        headers = {"Authorization": f"token {server.token}"}
        page = browser.new_context(viewport={"width": 1280, "height": 900}, extra_http_headers=headers).new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        browser.close()
    # nbgrader loads it from the network, which a test does without.
    unexpected = [error for error in errors if error != "MathJax is not defined"]
    assert not unexpected, unexpected
