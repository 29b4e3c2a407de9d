"""Who may ask: the owner's programs find the token by themselves, a browser gets it by a link, everybody else is told nothing."""
import hashlib
import hmac
import http.client
import json
import os
import re
import socket
import stat
import tempfile
import threading
import unittest
from pathlib import Path

import scree
import ws
from command import scree as command
from lab import PATIENCE, Lab, quiet_port

STRANGER = {"Authorization": None}


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().start()
        cls.job = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.job)

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def state_file(self, lab):
        return Path(os.environ["XDG_STATE_HOME"]) / "scree" / "servers" / str(lab.port)

    def test_strangers(self):
        """without the token, or with another, every route is 401 and tells nothing, not even whether it exists; healthz and static files answer"""
        for headers in (STRANGER, {"Authorization": "Bearer scree_" + "A" * 43}, {"Authorization": "Bearer " + self.lab.token[:-1]},
                        {"Authorization": self.lab.token}, {"Authorization": f"Basic {self.lab.token}"},
                        STRANGER | {"Cookie": f"scree_{self.lab.port}=scree_{'A' * 43}"}, STRANGER | {"Cookie": f"scree_1={self.lab.token}"}):
            for method, path in (("GET", "/api/v1/jobs"), ("GET", f"/api/v1/jobs/{self.job}/recording"), ("DELETE", f"/api/v1/jobs/{self.job}"),
                                 ("GET", "/api/v1/nothing"), ("GET", "/readyz"), ("GET", "/api/v1/openapi.json"), ("POST", "/api/v1/links"),
                                 ("POST", "/healthz")):
                status, answer, body = self.lab.request(method, path, headers=headers)
                self.assertEqual(status, 401, (method, path, headers))
                self.assertEqual(answer["www-authenticate"], 'Bearer realm="scree"')
                self.assertEqual(json.loads(body)["type"], "/problems/unauthorized")
            with self.assertRaises(ws.Refused) as refused:
                ws.Stream(self.lab.port, headers={"Authorization": None} | headers)
            self.assertEqual(refused.exception.status, 401)
        status, _, body = self.lab.request("POST", "/api/v1/jobs", self.lab.small_scene(), STRANGER)
        self.assertEqual(status, 401)
        page = self.lab.request("GET", "/")[2].decode()
        for path in ("/healthz", re.search(r'/assets/[^"]+\.js', page)[0]):
            self.assertEqual(self.lab.request("GET", path, headers=STRANGER)[0], 200)
        self.assertEqual(self.lab.job(self.job)["state"], "succeeded")

    def test_page_for_strangers(self):
        """a browser that nobody let in gets a page at / that says how to get in"""
        status, headers, body = self.lab.request("GET", "/", headers=STRANGER)
        self.assertEqual((status, headers["content-type"]), (401, "text/html; charset=utf-8"))
        self.assertIn(b"scree link", body)

    def test_files(self):
        """the data directory is 0700 and every file in it 0600; so is the copy of the token, which goes when screed ends"""
        lab = Lab().start()
        try:
            lab.wait(lab.submit(lab.small_scene())["id"])
            self.assertEqual(stat.S_IMODE(lab.data.stat().st_mode), 0o700)
            modes = {p.relative_to(lab.data).as_posix(): stat.S_IMODE(p.stat().st_mode) for p in lab.data.rglob("*")}
            self.assertIn("jobs/1/recording.scree", modes)
            self.assertEqual({name: oct(mode) for name, mode in modes.items() if mode not in (0o600, 0o700)}, {})
            copy = self.state_file(lab)
            self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)
            self.assertEqual(copy.read_text(), (lab.data / "token").read_text())
            token = lab.token
            lab.stop()
            self.assertFalse(copy.exists())
            lab.data.chmod(0o755)
            (lab.data / "token").chmod(0o644)
            lab.start()
            self.assertEqual(lab.token, token, "the token outlives a restart")
            self.assertEqual([stat.S_IMODE(p.stat().st_mode) for p in (lab.data, lab.data / "token")], [0o700, 0o600])
        finally:
            lab.close()

    def test_command_line_and_client(self):
        """scree and the Python client of the same user find the token; those of another do not, unless they are given it"""
        self.assertEqual(command("jobs", "--json", server=self.lab.url).json()["jobs"][0]["id"], self.job)
        self.assertEqual([j.id for j in scree.Lab(self.lab.url).jobs()], [self.job])
        self.assertGreater(len(list(scree.Lab(self.lab.url).job(self.job).samples())), 10)
        state = os.environ["XDG_STATE_HOME"]
        with tempfile.TemporaryDirectory(prefix="scree-test-") as other:
            try:
                os.environ["XDG_STATE_HOME"] = other
                refused = command("jobs", server=self.lab.url)
                self.assertEqual(refused.code, 3)
                self.assertIn("token", refused.err)
                with self.assertRaisesRegex(scree.ScreeError, "token"):
                    list(scree.Lab(self.lab.url).jobs())
                self.assertEqual(len(list(scree.Lab(self.lab.url, token=self.lab.token).jobs())), 1)
                os.environ["SCREE_TOKEN"] = self.lab.token
                self.assertEqual(len(list(scree.Lab(self.lab.url).jobs())), 1)
                del os.environ["SCREE_TOKEN"]
                os.environ["SCREE_TOKEN_FILE"] = str(self.lab.data / "token")
                self.assertEqual(len(list(scree.Lab(self.lab.url).jobs())), 1)
            finally:
                os.environ["XDG_STATE_HOME"] = state
                os.environ.pop("SCREE_TOKEN", None)
                os.environ.pop("SCREE_TOKEN_FILE", None)

    def follow(self, link, lab=None):
        connection = http.client.HTTPConnection("127.0.0.1", (lab or self.lab).port, timeout=20 * PATIENCE)
        try:
            connection.request("GET", link)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("Set-Cookie")
        finally:
            connection.close()

    def test_links(self):
        """the link that screed prints, and each that `scree link` prints, gives the cookie once; the cookie opens the API and the stream"""
        printed = self.lab.process.stdout.readline()
        self.assertIn("/open?key=", printed)
        first = "/open" + printed.split("/open")[1].split(" ")[0]
        second = command("link", server=self.lab.url).out.strip().removeprefix(self.lab.url)
        for link in (first, second):
            self.assertEqual(self.lab.request("HEAD", link, headers=STRANGER)[0], 403, "looking does not use it up")
            status, cookie = self.follow(link)
            self.assertEqual(status, 303)
            for part in (f"scree_{self.lab.port}=", "; HttpOnly", "; SameSite=Strict", "; Path=/"):
                self.assertIn(part, cookie)
            self.assertNotIn(self.lab.token.removeprefix("scree_"), cookie, "a session has a secret of its own")
            secret = cookie.split("=")[1].split(";")[0]
            self.assertNotIn(secret, (self.lab.data / "sessions").read_text(), "of which only a digest is kept")
            self.assertEqual(self.follow(link), (403, None))
            session = STRANGER | {"Cookie": "theme=dark; " + cookie.split(";")[0] + "; other=1"}
            self.assertEqual(self.lab.request("GET", "/api/v1/jobs", headers=session)[0], 200)
            self.assertEqual(self.lab.request("GET", "/", headers=session)[0], 200)
            with ws.Stream(self.lab.port, headers=session) as stream:
                self.assertEqual(stream.hello["type"], "hello")
            foreign = session | {"Origin": "http://evil.example"}
            self.assertEqual(self.lab.request("POST", f"/api/v1/jobs/{self.job}/cancel", b"", foreign)[0], 403, "not from another site's page")
        self.assertEqual(self.follow("/open?key=" + "A" * 43), (403, None))
        self.assertEqual(self.follow("/open"), (403, None))

    def test_sessions_outlive_a_restart_but_not_their_token(self):
        """a session goes on after a restart; the token itself is no session; another token ends it; the file of digests is its owner's alone"""
        lab = Lab().start()
        try:
            port = lab.port
            link = json.loads(lab.request("POST", "/api/v1/links")[2])["link"]
            secret = self.follow(link, lab)[1].split("=")[1].split(";")[0]
            self.assertEqual(stat.S_IMODE((lab.data / "sessions").stat().st_mode), 0o600)
            lab.stop()
            lab.start("--port", port)
            self.assertEqual(lab.request("GET", "/api/v1/jobs", headers=STRANGER | {"Cookie": f"scree_{port}={secret}"})[0], 200)
            self.assertEqual(lab.request("GET", "/api/v1/jobs", headers=STRANGER | {"Cookie": f"scree_{port}={lab.token}"})[0], 401)
            lab.stop()
            (lab.data / "token").unlink()
            lab.start("--port", port)
            self.assertEqual(lab.request("GET", "/api/v1/jobs", headers=STRANGER | {"Cookie": f"scree_{port}={secret}"})[0], 401)
        finally:
            lab.close()

    def test_a_dead_servers_copy_is_shown_to_nobody(self):
        """after kill -9 the copy of the token is there still: neither scree nor the Python client shows it to what listens on the port then, and the next start removes it"""
        lab = Lab("--port", quiet_port()).start()
        port, copy, token = lab.port, self.state_file(lab), lab.token
        lab.kill()
        self.assertEqual(copy.read_text().strip(), token)
        shown = []
        with socket.create_server(("127.0.0.1", port)) as other:
            def listen():
                for _ in range(2):
                    connection, _ = other.accept()
                    with connection:
                        shown.append(connection.recv(65536))
                        connection.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            thread = threading.Thread(target=listen)
            thread.start()
            command("jobs", server=f"http://127.0.0.1:{port}")
            with self.assertRaises(scree.ScreeError):
                list(scree.Lab(f"http://127.0.0.1:{port}").jobs())
            thread.join(timeout=20 * PATIENCE)
        self.assertEqual(len(shown), 2)
        for request in shown:
            self.assertNotIn(token.encode(), request)
        try:
            with Lab() as next_lab:
                self.assertEqual(copy.exists(), next_lab.port == port)
        finally:
            lab.close()

    def test_a_stranger_on_the_other_loopback_gets_no_token(self):
        """somebody else's server with our port on [::1], who even has our server answer for him, is not shown the token: neither by scree nor by the Python
        client, also where `localhost` leads to him first"""
        shown = []
        with Lab("--port", quiet_port()) as lab:
            try:
                other = socket.create_server(("::1", lab.port), family=socket.AF_INET6)
            except OSError:
                self.skipTest("this machine has no ::1")

            def answer(connection):
                request = connection.recv(65536)
                shown.append(request)
                if request.startswith(b"GET /api/v1/proof"):  # passes the question on to the server that can answer it
                    with socket.create_connection(("127.0.0.1", lab.port)) as ours:
                        ours.sendall(re.sub(rb"Host: [^\r]*", b"Host: localhost", request))
                        connection.sendall(ours.recv(65536))
                else:
                    connection.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

            def listen():
                while True:
                    try:
                        connection, _ = other.accept()
                    except OSError:
                        return
                    with connection:
                        answer(connection)
            thread = threading.Thread(target=listen, daemon=True)
            thread.start()
            said = command("jobs", server=f"http://[::1]:{lab.port}")
            self.assertNotEqual(said.code, 0)
            self.assertIn("can't prove", said.err)
            with self.assertRaisesRegex(scree.ScreeError, "can't prove"):
                list(scree.Lab(f"http://[::1]:{lab.port}").jobs())
            self.assertGreaterEqual(len(shown), 2)
            for name in ("127.0.0.1", "localhost"):
                command("jobs", server=f"http://{name}:{lab.port}")
                try:
                    list(scree.Lab(f"http://{name}:{lab.port}").jobs())
                except scree.ScreeError:
                    self.assertEqual(name, "localhost")
            self.assertEqual(command("jobs", server=f"http://127.0.0.1:{lab.port}").code, 0)
            other.close()
            for request in shown:
                self.assertNotIn(lab.token.encode(), request)

    def test_sessions_are_listed_and_ended(self):
        """sessions are listed without their secrets; one that is ended is good for nothing, and the others go on; `all` ends them all"""
        with Lab() as lab:
            cookies = []
            for _ in range(3):
                link = lab.json("POST", "/api/v1/links", b"", expect=201)["link"]
                cookies.append(lab.request("GET", link, headers=STRANGER)[1]["set-cookie"].split(";")[0])
            self.assertIn("Max-Age=604800", lab.request("GET", lab.json("POST", "/api/v1/links", b"", expect=201)["link"], headers=STRANGER)[1]["set-cookie"])
            good = lambda: [lab.request("GET", "/api/v1/jobs", headers=STRANGER | {"Cookie": c})[0] == 200 for c in cookies]  # noqa: E731
            listed = command("sessions", "--json", server=lab.url).json()["sessions"]
            self.assertEqual((len(listed), good()), (4, [True] * 3))
            for cookie in cookies:
                self.assertNotIn(cookie.split("=")[1][:12], json.dumps(listed))
            names = [hashlib.sha256(b"session\0" + c.split("=")[1].encode()).hexdigest()[:12] for c in cookies]
            self.assertLessEqual(set(names), {one["name"] for one in listed})
            self.assertEqual(command("sessions", "end", names[1], server=lab.url).code, 0)
            self.assertEqual(good(), [True, False, True])
            self.assertEqual(command("sessions", "end", names[1], server=lab.url).code, 2)
            self.assertEqual(command("sessions", "end", "../jobs/1", server=lab.url).code, 2)
            port = lab.port
            lab.stop()
            lab.start("--port", port)
            self.assertEqual(good(), [True, False, True])
            self.assertIn("3 sessions ended", command("sessions", "end", "all", server=lab.url).out)
            self.assertEqual(good(), [False] * 3)
            self.assertEqual(lab.request("GET", "/api/v1/sessions", headers=STRANGER)[0], 401)

    def test_proof(self):
        """the proof is HMAC-SHA-256 (RFC 2104) of purpose, nonce and address, here by Python's own; a nonce that is none is refused"""
        answer = json.loads(self.lab.request("GET", "/api/v1/proof?nonce=" + "n" * 43, headers=STRANGER)[2])
        address = f"127.0.0.1:{self.lab.port}"
        expected = hmac.new(self.lab.token.encode(), f"scree proof\n{'n' * 43}\n{address}".encode(), hashlib.sha256).hexdigest()
        self.assertEqual(answer, {"address": address, "proof": expected})
        for nonce in ("", "n" * 15, "n" * 65, "n" * 20 + "%20"):
            self.assertEqual(self.lab.request("GET", f"/api/v1/proof?nonce={nonce}", headers=STRANGER)[0], 400)

    def test_no_auth(self):
        """--no-auth asks nobody, and says so"""
        with Lab("--no-auth") as lab:
            self.assertIn("no token is required", lab.process.stdout.readline())
            self.assertEqual(lab.request("GET", "/api/v1/jobs", headers=STRANGER)[0], 200)
            with ws.Stream(lab.port, headers=STRANGER) as stream:
                self.assertEqual(stream.hello["type"], "hello")

    def test_no_auth_gives_no_token_away(self):
        """with --no-auth a link leads in but gives no cookie: the token of the data directory, good again once others are asked, goes to nobody"""
        with Lab("--no-auth") as lab:
            link = json.loads(lab.request("POST", "/api/v1/links", b"", STRANGER)[2])["link"]
            for tried in (link, "/open?key=" + "A" * 43, "/open"):
                self.assertEqual(self.follow(tried, lab), (303, None))

    def test_damaged_token(self):
        """a token file that holds none stops the start with 4 and what to do"""
        lab = Lab().start()
        lab.stop()
        (lab.data / "token").write_text("swordfish\n")
        with self.assertRaisesRegex(Exception, "holds no token: remove it"):
            lab.start()
