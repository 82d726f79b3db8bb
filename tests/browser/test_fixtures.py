"""The browser fixtures themselves: a page draws, and does not get at other machines."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

pytestmark = pytest.mark.browser


class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>hello</p>")

    def log_message(self, *args):
        pass


@pytest.fixture
def own_server():
    """A server on this machine, which notes in `asked` what it is asked for."""
    server = HTTPServer(("127.0.0.1", 0), Hello)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def server(own_server):
    """The server's address."""
    return f"http://127.0.0.1:{own_server.server_port}"


def test_own_machine_is_reached(page, blocked, server):
    page.goto(server)
    assert page.inner_text("p") == "hello"
    assert blocked == []


@pytest.mark.parametrize("offline", [False, True])
@pytest.mark.parametrize("name", ["localhost", "example.org", "192.0.2.1"])
def test_other_hosts_are_refused_and_noted(page, blocked, own_server, server, name, offline):
    """Rejects a fixture that lets a CDN through: the picture must fail to load and be noted, also by a page offline.

    `localhost` would be answered by the server here; an address in numbers needs nobody to look it up.
    """
    page.goto(server)
    page.context.set_offline(offline)
    address = server.replace("127.0.0.1", name) + "/picture.png"
    failed = page.evaluate(
        "url => new Promise(done => { const i = new Image(); i.onerror = () => done(true); i.src = url })", address
    )
    assert failed
    assert blocked == [address]
    assert "/picture.png" not in own_server.asked


@pytest.mark.parametrize("name", ["localhost", "example.org"])
def test_foreign_sockets_are_refused(page, blocked, own_server, name):
    """In the page, and in a window that it opens."""
    address = f"ws://{name}:{own_server.server_port}/live"
    for each in (page, page.context.new_page()):
        each.evaluate("url => new Promise(done => { const s = new WebSocket(url); s.onclose = () => done() })", address)
    assert blocked == [address, address]
    assert own_server.asked == []


def test_what_a_worker_asks_for_is_refused_and_noted(page, blocked, own_server, server):
    """Rejects a fixture that only sees what the page itself asks for."""
    page.goto(server)
    address = server.replace("127.0.0.1", "localhost") + "/data.json"
    page.evaluate(
        """url => new Promise(done => {
          const source = `fetch("${url}").catch(() => postMessage("refused"))`;
          new Worker(URL.createObjectURL(new Blob([source]))).onmessage = done;
        }).then(() => {})""",
        address,
    )
    assert blocked == [address]
    assert "/data.json" not in own_server.asked
