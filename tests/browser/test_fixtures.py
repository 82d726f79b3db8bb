"""The browser fixtures: a page does not reach other machines."""

import threading
from http.server import HTTPServer, SimpleHTTPRequestHandler

import pytest

pytestmark = pytest.mark.browser
FETCH = "(url) => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'refused')"
SOCKET = "(url) => new Promise((done) => { new WebSocket(url).onclose = () => done('refused') })"


@pytest.fixture
def port():
    """Serve an empty page on this machine; return the port."""
    server = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["localhost", "example.org", "192.0.2.1"])
def test_other_hosts_are_refused_and_noted(page, blocked, port, name):
    """Rejects a fixture that lets a CDN through. The server here would answer `localhost`."""
    page.goto(f"http://127.0.0.1:{port}/")
    assert page.evaluate(FETCH, f"http://127.0.0.1:{port}/") == "reached"
    assert page.evaluate(FETCH, f"http://{name}:{port}/x") == "refused"
    assert page.evaluate(SOCKET, f"ws://{name}:{port}/x") == "refused"
    assert blocked == [f"http://{name}:{port}/x", f"ws://{name}:{port}/x"]
