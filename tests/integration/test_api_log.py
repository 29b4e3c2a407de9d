"""The log of screed: what a person or a program can learn from it afterwards, and that writing it never costs more than lines."""
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from lab import BUILD, PATIENCE, Lab, quiet_port

SCREED = BUILD / "screed"


def lines_of(text):
    """Every line as an object: each must be one."""
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]), line
        assert line["level"] in ("debug", "info", "warning", "error") and re.fullmatch("[a-z_]+", line["event"]), line
    return lines


def ask_many(lab, path, count):
    """So many requests over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60 * PATIENCE)
    for _ in range(count):
        connection.request("GET", path, headers={"Authorization": f"Bearer {lab.token}"})
        connection.getresponse().read()
    connection.close()


class Log(unittest.TestCase):
    def run_lab(self, *options):
        lab = Lab("--log-format", "json", *options)
        self.addCleanup(lab.close)
        return lab.start()

    def ended(self, lab):
        """Stops it. Returns its lines."""
        self.assertEqual(lab.stop(), 0)
        return lines_of(lab.last_errors)

    def of_job(self, lines, number):
        return [line for line in lines if line.get("job") == number]

    def test_life_of_a_job(self):
        """submitted, started with its process, the process ended, succeeded, deleted: in this order, with the job's and the attempt's number"""
        lab = self.run_lab()
        answer = lab.request("POST", "/api/v1/jobs", lab.small_scene(name="tell-me"))
        job = json.loads(answer[2])["id"]
        lab.wait(job)
        lab.request("DELETE", f"/api/v1/jobs/{job}")
        port, lines = lab.port, self.ended(lab)
        life = self.of_job(lines, job)
        self.assertEqual([line["event"] for line in life], ["job_submitted", "job_started", "worker_ended", "job_succeeded", "job_deleted"])
        submitted, started, gone, succeeded, _ = life
        self.assertEqual((submitted["name"], submitted["method"]), ("tell-me", "peridem"))
        self.assertEqual([line["attempt"] for line in life[1:4]], [1, 1, 1])
        self.assertEqual((gone["pid"], gone["exit"], gone["level"]), (started["pid"], 0, "info"))
        self.assertGreater(gone["cpu_seconds"], 0)
        self.assertEqual(succeeded["state"], "succeeded")
        request = next(line for line in lines if line.get("made") == f"/api/v1/jobs/{job}")
        self.assertEqual((request["request"], request["status"], request["from"]), (answer[1]["x-request-id"], 201, "127.0.0.1"))
        first, last = lines[0], lines[-1]
        self.assertEqual((first["event"], first["port"], first["data"], first["address"]), ("started", port, str(lab.data), "127.0.0.1"))
        self.assertEqual((first["slots"], first["queue"], first["token"]), (1, 10000, "asked"))
        self.assertEqual([line["event"] for line in lines[-2:]], ["stopping", "stopped"], last)

    def test_other_ends(self):
        """a job that dies says why and by which signal, one that is cancelled or paused that it was asked for, one with doubts which"""
        lab = self.run_lab("--max-attempts", 1)
        died, cancelled, waiting = (lab.submit(lab.long_scene())["id"] for _ in range(3))
        lab.json("POST", f"/api/v1/jobs/{waiting}/cancel", b"")
        lab.wait_until(died, lambda job: job["progress"] and job["progress"]["step"] > 0)
        os.kill(lab.worker_pids()[0], signal.SIGABRT)
        lab.wait(died)
        lab.wait_until(cancelled, lambda job: job["progress"] and job["progress"]["step"] > 0)
        lab.json("POST", f"/api/v1/jobs/{cancelled}/pause", b"")
        held_at = lab.wait_until(cancelled, lambda job: job["state"] == "paused")["progress"]["step"]
        lab.json("POST", f"/api/v1/jobs/{cancelled}/resume", b"")
        lab.wait_until(cancelled, lambda job: job["state"] == "running" and job["progress"]["step"] > held_at)
        lab.json("POST", f"/api/v1/jobs/{cancelled}/cancel", b"")
        lab.wait(cancelled)
        unstable = lab.small_scene(steps=600)
        unstable["time"]["time_step"] = 9e-8
        unstable["options"] = {"allow_unstable_step": True, "contact_surface": "nodes", "damping_step": "explicit"}
        doubted = lab.submit(unstable)["id"]
        ended = lab.wait(doubted)
        lines = self.ended(lab)
        self.assertEqual([line["event"] for line in self.of_job(lines, waiting)], ["job_submitted", "job_cancelled"])
        gone, failed = self.of_job(lines, died)[-2:]
        self.assertEqual((gone["event"], gone["signal"], gone["level"]), ("worker_ended", signal.SIGABRT, "warning"))
        self.assertEqual((failed["event"], failed["state"], failed["level"]), ("job_failed", "failed", "warning"))
        self.assertIn("SIGABRT", failed["reason"])
        self.assertEqual([line["event"] for line in self.of_job(lines, cancelled) if line["event"] != "worker_ended"],
                         ["job_submitted", "job_started", "job_pause", "job_stopped", "job_resume", "job_started", "job_cancel", "job_cancelled"])
        last = self.of_job(lines, doubted)[-1]
        self.assertEqual((last["event"], last["doubts"], last["doubt"], last["level"]),
                         ("job_succeeded", len(ended["doubts"]), ended["doubts"][0]["message"], "warning"))

    def test_names_of_requests(self):
        """every answer has the name of its request, the client's if it is plain; a refusal has it in its document and in its line, with the reason"""
        lab = self.run_lab()
        names = [lab.request("GET", path)[1]["x-request-id"] for path in ("/healthz", "/", "/api/v1/jobs", "/api/v1/nothing", "/healthz")]
        self.assertEqual(len(set(names)), 5)
        for given in ("trace.7_A-z", "a" * 64):
            status, headers, body = lab.request("GET", "/api/v1/jobs/99?nonsense=1", headers={"X-Request-Id": given})
            self.assertEqual((headers["x-request-id"], json.loads(body)["request_id"]), (given, given))
        for given in ("a b", "a" * 65, 'x"y', "x\u00e4".encode().decode("latin-1"), "a=b", ""):
            headers = lab.request("GET", "/healthz", headers={"X-Request-Id": given})[1]
            self.assertRegex(headers["x-request-id"], r"^[0-9a-f]{8}-[0-9]+$")
        lab.request("GET", "/api/v1/jobs/99", headers={"X-Request-Id": "no-such-job"})
        lab.request("POST", "/api/v1/jobs", {"scree": 1}, headers={"X-Request-Id": "no-scene"})
        lab.request("GET", "/api/v1/jobs", headers={"X-Request-Id": "stranger", "Authorization": None})
        by_name = {line["request"]: line for line in self.ended(lab) if "request" in line}
        missing = by_name["no-such-job"]
        self.assertEqual((missing["event"], missing["status"], missing["method"], missing["path"], missing["problem"], missing["reason"]),
                         ("request_refused", 404, "GET", "/api/v1/jobs/99", "not-found", "job 99 does not exist"))
        self.assertEqual((by_name["no-scene"]["problem"], by_name["stranger"]["problem"]), ("scene-refused", "unauthorized"))
        self.assertEqual(by_name["trace.7_A-z"]["path"], "/api/v1/jobs/99")

    def test_no_secrets(self):
        """neither the token nor the cookie nor the key of a link gets into the log, however they are sent, even at level debug"""
        lab = self.run_lab("--log-level", "debug")
        key = json.loads(lab.request("POST", "/api/v1/links", b"")[2])["link"].split("=")[1]
        cookie = lab.request("GET", f"/open?key={key}", headers={"Authorization": None})[1]["set-cookie"].split("=", 1)[1].split(";")[0]
        wrong = "scree_" + "W" * 43
        lab.request("GET", f"/open?key={key}", headers={"Authorization": None})
        lab.request("GET", f"/open?{key}", headers={"Authorization": None})
        lab.request("GET", f"/api/v1/jobs?{key}&token={lab.token}", headers={"X-Request-Id": "the-query"})
        lab.request("GET", "/api/v1/jobs", headers={"Authorization": f"Bearer {wrong}"})
        lab.request("GET", "/api/v1/jobs", headers={"Authorization": None, "Cookie": f"scree_{lab.port}={cookie}"})
        token = lab.token
        lab.stop()
        self.assertIn("the-query", lab.last_errors)
        for secret in (token, cookie, key, wrong):
            self.assertNotIn(secret, lab.last_errors)

    def test_flood(self):
        """of a thousand refusals some dozen are written, and how many are not; a job's lines are not among those left out"""
        begun = time.monotonic()
        lab = self.run_lab()
        ask_many(lab, "/api/v1/nothing", 1000)
        taken = time.monotonic() - begun
        job = lab.submit(lab.small_scene())["id"]
        lab.wait(job)
        lines = self.ended(lab)
        refused = [line for line in lines if line["event"] == "request_refused"]
        left_out = [line for line in lines if line["event"] == "lines_left_out"]
        self.assertEqual(len(refused) + sum(line["count"] for line in left_out), 1000)
        self.assertEqual({line["of"] for line in left_out}, {"request_refused"})
        self.assertGreaterEqual(len(refused), 60)
        self.assertLessEqual(len(refused), 60 + taken)  # 60 at once and one a second
        self.assertEqual(self.of_job(lines, job)[-1]["event"], "job_succeeded")

    def test_slow_requests(self):
        """a request that takes longer than --slow-request-seconds is told, refused or not; one that takes less is not"""
        for seconds, wanted in ((0.001, {"fine", "refused"}), (3600, set())):
            lab = self.run_lab("--slow-request-seconds", seconds)
            for name, spacing in (("fine", 1e-4), ("refused", 4e-5)): # the finer one needs a smaller step
                lab.request("POST", "/api/v1/scenes/check", lab.small_scene(spacing=spacing), headers={"X-Request-Id": name})
            lines = self.ended(lab)
            slow = {line["request"]: line for line in lines if line["event"] == "request_slow"}
            self.assertEqual(set(slow), wanted)
            self.assertTrue(all(line["seconds"] > seconds and line["path"] == "/api/v1/scenes/check" for line in slow.values()))
            self.assertEqual([line["request"] for line in lines if line["event"] == "request_refused"], ["refused"])

    def test_connections_beyond_the_limit(self):
        """that connections were refused is told, with how many are open"""
        lab = self.run_lab("--connections", 8)
        sockets = [socket.create_connection(("127.0.0.1", lab.port)) for _ in range(12)]
        for s in sockets:
            s.sendall(b"GET /healthz HTTP/1.1\r\n")
        self.assertTrue(select.select(sockets, [], [], 60 * PATIENCE)[0])  # who is refused is told
        for s in sockets:
            s.close()
        refused = [line for line in self.ended(lab) if line["event"] == "connection_refused"]
        self.assertTrue(refused and "too many connections" in refused[0]["reason"])

    def test_start_that_fails(self):
        """with --log-format json also why screed does not start is a line of JSON; an unknown format or level is refused with those there are"""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            command = [SCREED, "--data", f"{folder}/data", "--port", "0"]
            done = subprocess.run([*command, "--worker", "/nowhere", "--log-format", "json"], capture_output=True, text=True, timeout=60)
            line, = lines_of(done.stderr)
            self.assertEqual((done.returncode, line["event"], line["exit"]), (6, "start_failed", 6))
            self.assertIn("/nowhere", line["reason"])
            done = subprocess.run([*command, "--log-format", "xml", "--log-level", "loud"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--log-format is 'xml'; it must be text or json", done.stderr)
            self.assertIn("--log-level is 'loud'; it must be debug, info, warning or error", done.stderr)


class Nowhere(unittest.TestCase):
    """screed whose output goes nowhere."""

    def live(self, redirection, **arguments):
        """Runs a job to its end under a shell's redirection of the standard descriptors, and checks that all is well."""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            port = quiet_port()
            command = [SCREED, "--data", f"{folder}/data", "--port", str(port), "--no-auth", "--log-level", "debug"]
            process = subprocess.Popen(["sh", "-c", f'exec "$@" {redirection}', "sh", *command], cwd=folder, **arguments)
            try:
                lab = Lab(data=f"{folder}/data")
                lab.port, lab.token, lab.log = port, "none", tempfile.TemporaryFile(mode="w+")
                for _ in range(int(3000 * PATIENCE)):
                    try:
                        lab.request("GET", "/healthz")
                        break
                    except OSError:
                        self.assertIsNone(process.poll())
                        time.sleep(0.02)
                ask_many(lab, "/api/v1/jobs", 2000)
                self.assertEqual(lab.wait(lab.submit(lab.small_scene())["id"])["state"], "succeeded")
                descriptors = {n: os.readlink(f"/proc/{process.pid}/fd/{n}") for n in (0, 1, 2)}
                begun = time.monotonic()
                process.terminate()
                self.assertEqual(process.wait(timeout=120 * PATIENCE), 0)
                self.assertLess(time.monotonic() - begun, 60 * PATIENCE)
                self.assertEqual(Path(f"{folder}/data/scree.db").read_bytes()[:15], b"SQLite format 3")
                lab.log.close()
                log = Path(folder) / "log"
                return descriptors, log.read_text() if log.exists() else None
            finally:
                process.kill()
                process.wait()

    def test_nohup(self):
        """`nohup screed > log 2>&1` leaves the address and the lines in the file"""
        _, log = self.live("> log 2>&1")
        self.assertIn("listening on http://", log)
        self.assertRegex(log, r"(?m)^\S+ info job_succeeded job=1 attempt=1 state=succeeded$")

    def test_full_disk(self):
        """on a full disk screed works, without lines"""
        self.live("> /dev/full 2>&1")

    def test_closed(self):
        """with its standard descriptors closed nothing that is printed gets into a file of the laboratory"""
        descriptors, _ = self.live("<&- >&- 2>&-")
        self.assertEqual(set(descriptors.values()), {"/dev/null"})

    def test_pipe_that_nobody_reads(self):
        """a pipe that is full and never read holds nobody up, nor the end"""
        reading, writing = os.pipe()
        try:
            os.set_blocking(writing, False)
            with self.assertRaises(BlockingIOError):
                while True:
                    os.write(writing, b"x" * 4096)
            os.set_blocking(writing, True)
            self.live("> /dev/null", stderr=writing)
        finally:
            os.close(reading)
            os.close(writing)

    def test_pipe_whose_reader_is_gone(self):
        """when whoever read the log has ended, screed goes on"""
        reading, writing = os.pipe()
        os.close(reading)
        try:
            self.live("> /dev/null", stderr=writing)
        finally:
            os.close(writing)


if __name__ == "__main__":
    unittest.main()
