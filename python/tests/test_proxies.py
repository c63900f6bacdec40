"""Services that are behind a proxy."""

import base64
import os
import socket
import ssl
import subprocess
import threading
import unittest
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock
from urllib.parse import urlsplit

from hostile_service import WithService, connect

import bindery
from bindery._errors import ServiceError

CONTENTS = {"arm/arm.xml": b"<mujoco/>"}
LOGIN = "Basic " + base64.b64encode(b"ada:p@ss").decode()


class _Proxy(BaseHTTPRequestHandler):
    """Passes everything on to this machine, whatever host is asked for, if the login is right."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self._is_let_in():
            target = urlsplit(self.path)
            headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            service = HTTPConnection("127.0.0.1", target.port)
            service.request(self.command, f"{target.path}?{target.query}", body, headers)
            response = service.getresponse()
            self._answer(response.status, response.read())
            service.close()

    do_POST = do_GET

    def do_CONNECT(self):
        if self._is_let_in():
            with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2]))) as service:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=_copy, args=(service, self.connection))
                back.start()
                _copy(self.connection, service)
                back.join()
            self.close_connection = True

    def _is_let_in(self):
        self.server.asked.append(f"{self.command} {self.path}")
        if self.server.refuses is None and self.headers.get("Proxy-Authorization") == LOGIN:
            return True
        self._answer(self.server.refuses or 407, b"<html>")
        return False

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _copy(source, target):
    try:
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class WithProxy(WithService):
    def setUp(self):
        super().setUp()
        self.proxy = ThreadingHTTPServer(("127.0.0.1", 0), _Proxy)
        self.proxy.daemon_threads = True
        self.proxy.asked, self.proxy.refuses = [], None
        threading.Thread(target=self.proxy.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(self.proxy.server_close)
        self.addCleanup(self.proxy.shutdown)
        self.address = f"http://ada:p%40ss@127.0.0.1:{self.proxy.server_port}"

    def set(self, **environment):
        self.enterContext(mock.patch.dict(os.environ, environment))

    def secured(self):
        """Serves with TLS, as hub.example, whose certificate is trusted."""
        service = self.serve(CONTENTS)
        certificate, key = self.root / "certificate.pem", self.root / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"]
            + ["-subj", "/CN=hub.example", "-addext", "subjectAltName=DNS:hub.example", "-out", certificate, "-keyout", key],
            check=True,
            capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        service._server.socket = context.wrap_socket(service._server.socket, server_side=True)
        self.set(SSL_CERT_FILE=str(certificate))
        return service

    def pull_from(self, url):
        with connect(url) as client:
            client.pull("acme/arms", self.into)

    def failure(self, url="http://hub.example"):
        with self.assertRaises(ServiceError) as caught:
            self.pull_from(url)
        self.assertNotIn("ss@", str(caught.exception))
        self.assertNotIn("p%40", str(caught.exception))
        return str(caught.exception)


class Proxies(WithProxy):
    def test_http_goes_through_the_proxy_of_its_scheme_or_of_all_in_either_letter_case(self):
        service = self.serve(CONTENTS)
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]:
            with self.subTest(name), mock.patch.dict(os.environ, {name: self.address}):
                self.empty()
                self.proxy.asked.clear()
                self.pull_from(f"http://hub.example:{urlsplit(service.url).port}")
                self.assertEqual(self.files(), CONTENTS)
                self.assertIn("GET http://hub.example", self.proxy.asked[0])

    def test_https_goes_through_a_tunnel_that_the_service_ends_itself(self):
        service = self.secured()
        place = f"hub.example:{urlsplit(service.url).port}"
        for name in ["https_proxy", "HTTPS_PROXY", "ALL_PROXY"]:
            with self.subTest(name), mock.patch.dict(os.environ, {name: self.address}):
                self.into = self.root / name
                self.proxy.asked.clear()
                self.pull_from(f"https://{place}")
                self.assertEqual(self.files(), CONTENTS)
                self.assertEqual(set(self.proxy.asked), {f"CONNECT {place}"})

    def test_a_certificate_of_another_host_is_refused_in_a_tunnel_too(self):
        service = self.secured()
        self.set(HTTPS_PROXY=self.address)
        self.assertIn("its certificate is not trusted: Hostname mismatch", self.failure(f"https://other.example:{urlsplit(service.url).port}"))

    def test_hosts_and_networks_of_no_proxy_are_reached_directly(self):
        service = self.serve(CONTENTS)
        for name, listed in [("no_proxy", "127.0.0.1"), ("NO_PROXY", "127.0.0.1"), ("NO_PROXY", "127.0.0.0/8")]:
            self.empty()
            with mock.patch.dict(os.environ, {"HTTP_PROXY": self.address, name: f"hub.example, {listed}"}):
                self.pull_from(service.url)
            self.assertEqual(self.files(), CONTENTS)
        self.assertEqual(self.proxy.asked, [])

    def test_a_proxy_that_cannot_be_reached_is_named_without_its_password(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.set(ALL_PROXY=f"http://ada:p%40ss@127.0.0.1:{port}")
        for url in ["http://hub.example", "https://hub.example"]:
            expected = rf"^Could not connect to the proxy http://127\.0\.0\.1:{port} \(connection refused\)\."
            self.assertRegex(self.failure(url), expected)

    def test_a_proxy_that_refuses_is_named_and_asked_once(self):
        self.set(ALL_PROXY=self.address)
        for status in [403, 407]:
            for url in ["http://hub.example", "https://hub.example"]:
                with self.subTest(f"{status}, {url}"):
                    self.proxy.asked.clear()
                    self.proxy.refuses = status
                    failure = self.failure(url)
                    self.assertIn(f"proxy http://127.0.0.1:{self.proxy.server_port}", failure)
                    self.assertIn(str(status), failure)
                    self.assertNotIn("bindery login", failure)
                    self.assertEqual(len(self.proxy.asked), 1)

    def test_a_proxy_of_another_kind_is_refused_without_its_password(self):
        for address in ["socks5://ada:p%40ss@127.0.0.1:1080", "http://ada:p%40ss@127.0.0.1:port"]:
            with mock.patch.dict(os.environ, {"HTTP_PROXY": address}):
                self.assertRegex(self.failure(), r"^Unsupported proxy '(socks5|http)://127\.0\.0\.1:")

    def test_a_proxy_needs_no_scheme(self):
        service = self.serve(CONTENTS)
        self.set(http_proxy=self.address.removeprefix("http://"))
        with bindery.connect(f"http://hub.example:{urlsplit(service.url).port}") as client:
            self.assertFalse(client.stat("acme/arms", self.into).up_to_date)


if __name__ == "__main__":
    unittest.main()
