"""One browser and one server for all tests of the page; each test has a group of its own."""

import asyncio
import shutil
import threading

import pytest

from graphrag.serve.grants import Grant, Tokens
from graphrag.serve.server import serve
from tests.conftest import open_graph

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--window-size=1280,860", "--force-prefers-reduced-motion",
)  # fmt: skip
OWNER, READER = "owner-0123456789abcdef", "reader-0123456789abcdef"
STRANGER = "stranger-0123456789abcdef"


class Served:
    """A graph behind a server in a thread, which is given to from here."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.urls = {}
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self._serve(),))
        self.thread.start()
        assert self.ready.wait(20)

    async def _serve(self):
        self.stop = asyncio.Event()
        owner, reader = Grant("the owner"), Grant("a reader", writes=False)
        tokens = Tokens({OWNER: owner, READER: reader, STRANGER: Grant("hers", ("elsewhere",))})
        async with open_graph() as self.graph:
            doors = [
                asyncio.ensure_future(
                    serve(self.graph, port=0, tokens=given, on_start=self._on(at))
                )
                for at, given in (("open", None), ("closed", tokens))
            ]
            await self.stop.wait()
            for door in doors:
                door.cancel()
            await asyncio.gather(*doors, return_exceptions=True)

    def _on(self, name):
        def started(url):
            self.urls[name] = url
            if len(self.urls) == 2:
                self.ready.set()

        return started

    def run(self, work):
        """Run a coroutine where the graph lives."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    def page(self, group, door="open"):
        return f"{self.urls[door]}/groups/{group}/explore"

    def close(self):
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(20)
        self.loop.close()


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()
