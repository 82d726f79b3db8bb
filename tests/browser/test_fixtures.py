"""The browser fixtures themselves: a page draws, and does not get at other machines."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

pytestmark = pytest.mark.browser


class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>hello</p>")

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = HTTPServer(("127.0.0.1", 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_own_machine_is_reached(page, blocked, server):
    page.goto(server)
    assert page.inner_text("p") == "hello"
    assert blocked == []


@pytest.mark.parametrize("name", ["localhost", "example.org"])
def test_other_hosts_are_refused_and_noted(page, blocked, server, name):
    """Rejects a fixture that lets a CDN through: the picture must fail to load and be noted."""
    page.goto(server)
    address = server.replace("127.0.0.1", name) + "/picture.png"
    failed = page.evaluate(
        "url => new Promise(done => { const i = new Image(); i.onerror = () => done(true); i.src = url })", address
    )
    assert failed
    assert blocked == [address]


def test_foreign_sockets_are_refused(page, blocked):
    page.evaluate(
        "() => new Promise(done => { const s = new WebSocket('ws://example.org/live'); s.onclose = () => done() })"
    )
    assert blocked == ["ws://example.org/live"]
