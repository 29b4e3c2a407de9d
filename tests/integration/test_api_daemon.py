"""Starting and stopping screed: its exit codes, its messages, its signals."""
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from lab import BUILD, PATIENCE, Lab

SCREED = Path(os.environ.get("SCREE_SCREED", BUILD / "screed"))


def run(*options, environment=None):
    """screed until it ends by itself: (exit code, stdout, stderr)."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SCREE_")} | (environment or {})
    done = subprocess.run([str(SCREED), *[str(o) for o in options]], capture_output=True, text=True, timeout=60 * PATIENCE, env=clean)
    return done.returncode, done.stdout, done.stderr


class Daemon(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_version_and_help(self):
        """--version and --help print to stdout and end with 0"""
        self.assertEqual(run("--version"), (0, "screed 0.1.0\n", ""))
        code, text, errors = run("--help")
        self.assertEqual((code, errors), (0, ""))
        for option in ("--data", "--listen", "--port", "--slots", "--threads", "--memory", "--recording", "--worker", "--max-attempts",
                       "--checkpoint-seconds", "--lease-seconds", "--disk-reserve", "--allow-remote", "--check"):
            self.assertIn(option, text)

    def test_bad_usage(self):
        """what can't be meant is 2, on the command line and in the environment"""
        for options in (("--port", "x"), ("--bogus",), ("--slots", 0), ("--listen", "0.0.0.0"), ("--data",)):
            code, out, errors = run(*options)
            self.assertEqual((code, out), (2, ""), options)
            self.assertTrue(errors.startswith("screed: "), errors)
        code, _, errors = run(environment={"SCREE_PORT": "http"})
        self.assertEqual(code, 2)
        self.assertIn("SCREE_PORT", errors)

    def test_all_problems_at_once(self):
        """every option that can't be meant is told in one go, with its range, a line each"""
        code, _, errors = run("--lease-seconds", 0, "--disk-reserve", "-1", "--port", 99999)
        self.assertEqual(code, 2)
        self.assertEqual([line.split(" is ")[0] for line in errors.splitlines()], ["screed: --lease-seconds", "screed: --disk-reserve", "screed: --port"])
        self.assertIn("from 0.1 to 86400", errors)

    def test_lease(self):
        """a worker that is silent for longer than --lease-seconds is killed, and its job goes on with another"""
        with Lab("--lease-seconds", 2, "--checkpoint-seconds", 0.1, "--max-attempts", 20) as lab:
            job = lab.submit(Lab.long_scene())["id"]
            first = lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 0)
            lab.signal_workers(signal.SIGSTOP)
            again = lab.wait_until(job, lambda j: j["attempt"] > first["attempt"])
            self.assertIn("did not respond for 2 s", again["error"])
            lab.json("POST", f"/api/v1/jobs/{job}/cancel", b"", expect=202)
            self.assertEqual(lab.wait(job)["state"], "cancelled")

    def test_early_orders(self):
        """a cancel and a pause that come before the worker has begun are obeyed by it at its first step"""
        slow = self.folder / "slow-worker"
        slow.write_text(f'#!/bin/sh\n[ "$1" = --tasks ] || sleep 0.3\nexec {BUILD / "scree-worker"} "$@"\n')
        slow.chmod(0o700)
        with Lab("--worker", slow) as lab:
            for order, state, said in (("cancel", "cancelled", "asked to cancel\n"), ("pause", "paused", "asked to stop\n")):
                job = lab.submit(Lab.long_scene())["id"]
                lab.wait_until(job, lambda j: j["state"] == "running")
                lab.json("POST", f"/api/v1/jobs/{job}/{order}", b"", expect=202)
                lab.wait_until(job, lambda j, state=state: j["state"] == state)
                self.assertIn(said.encode(), lab.request("GET", f"/api/v1/jobs/{job}/log")[2])

    def test_workers_give_way(self):
        """a worker is five steps nicer than screed, on all its threads: whoever looks at a run on the same machine comes first"""
        with Lab("--threads", 2) as lab:
            job = lab.submit(Lab.long_scene())["id"]
            lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 0)
            own = os.getpriority(os.PRIO_PROCESS, lab.process.pid)
            worker, = lab.worker_pids()
            threads = [int(name) for name in os.listdir(f"/proc/{worker}/task")]
            self.assertGreaterEqual(len(threads), 2)
            self.assertEqual({os.getpriority(os.PRIO_PROCESS, thread) for thread in threads}, {min(own + 5, 19)})

    def test_disk_reserve(self):
        """with less free on the disk than --disk-reserve no job is taken, and the readiness says why"""
        with Lab("--disk-reserve", "1000000000000000") as lab:
            for method, path in (("POST", "/api/v1/jobs"), ("GET", "/readyz")):
                status, _, body = lab.request(method, path, Lab.small_scene() if method == "POST" else None)
                self.assertEqual(status, 503, body)
                self.assertIn(b"kept in reserve", body)

    def test_announcement(self):
        """one line says where it listens and where the data is, one how a browser gets in; SIGTERM ends it with 0"""
        process = subprocess.Popen([str(SCREED), "--port", "0", "--data", str(self.folder / "d")], stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        self.assertRegex(line, rf"^screed 0\.1\.0 listening on http://127\.0\.0\.1:[1-9][0-9]*/ \(data in {self.folder}/d\)\n$")
        self.assertRegex(process.stdout.readline(), r"^  open http://127\.0\.0\.1:[0-9]+/open\?key=[\w-]{43} in a browser \(once, within 15 minutes; .*\)\n$")
        process.terminate()
        self.assertEqual(process.wait(timeout=120 * PATIENCE), 0)
        self.assertEqual(process.stdout.read(), "")
        process.stdout.close()

    def test_nohup(self):
        """`nohup screed &` lives on when its terminal hangs up; without nohup SIGHUP ends it like SIGTERM"""
        for command, lives in ((["nohup"], True), ([], False)):
            process = subprocess.Popen([*command, str(SCREED), "--port", "0", "--data", str(self.folder / "d")], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # these tests may run under nohup themselves
            try:
                self.assertIn("listening", process.stdout.readline())
                process.send_signal(signal.SIGHUP)
                if lives:
                    with self.assertRaises(subprocess.TimeoutExpired):
                        process.wait(timeout=1)
                    process.terminate()
                self.assertEqual(process.wait(timeout=120 * PATIENCE), 0)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()

    def test_port_taken(self):
        """a taken port is 3, and the message says what to do"""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            code, _, errors = run("--port", s.getsockname()[1], "--data", self.folder)
        self.assertEqual(code, 3)
        self.assertIn("--port", errors)
        self.assertEqual(run("--listen", "127.0.0.300", "--allow-remote", "--data", self.folder)[0], 3)

    def test_data_directory(self):
        """a data directory that can't be made or is no directory is 4"""
        (self.folder / "file").write_text("x")
        for path in (self.folder / "file", self.folder / "file" / "below", "/proc/nothing/here"):
            code, _, errors = run("--port", 0, "--data", path)
            self.assertEqual(code, 4, errors)
            self.assertIn(str(path), errors)
        self.assertIn("is not a directory", run("--port", 0, "--data", self.folder / "file")[2])

    def test_unwritable_directory(self):
        """a data directory that can't be written to is 4"""
        if os.geteuid() == 0:  # root may write anywhere; a read-only place is still one
            path = Path("/sys/kernel")
        else:
            path = self.folder / "locked"
            path.mkdir(mode=0o500)
        code, _, errors = run("--port", 0, "--data", path)
        self.assertEqual(code, 4, errors)

    def test_two_screeds(self):
        """a second screed on the same data is 5 and leaves the first one alone"""
        with Lab(data=self.folder / "data") as lab:
            code, _, errors = run("--port", 0, "--data", self.folder / "data")
            self.assertEqual(code, 5, errors)
            self.assertEqual(lab.request("GET", "/readyz")[0], 200)

    def test_missing_worker(self):
        """a worker that is not there or is no program is 6"""
        (self.folder / "text").write_text("x")
        for path in (self.folder / "nothing", self.folder / "text", self.folder):
            code, _, errors = run("--port", 0, "--data", self.folder / "d", "--worker", path)
            self.assertEqual(code, 6, errors)
            self.assertIn("--worker", errors)

    def test_check(self):
        """--check says what it found and ends with the code of the first thing that is wrong"""
        code, out, _ = run("--check", "--port", 0, "--data", self.folder)
        self.assertEqual(code, 0, out)
        for word in ("data", "worker", "port", "can be written to", "free"):
            self.assertIn(word, out)
        self.assertNotIn("no job is accepted", out)
        code, out, _ = run("--check", "--port", 0, "--data", self.folder, "--disk-reserve", "900T")
        self.assertEqual(code, 0, out)
        self.assertIn("no job is accepted while less than 990 TB is free", out)
        (self.folder / "file").write_text("x")
        self.assertEqual(run("--check", "--port", 0, "--data", self.folder / "file")[0], 4)
        self.assertEqual(run("--check", "--port", 0, "--data", self.folder, "--worker", "/nothing")[0], 6)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            self.assertEqual(run("--check", "--port", s.getsockname()[1], "--data", self.folder)[0], 3)

    def test_environment(self):
        """options come from the environment too, and the command line wins"""
        with Lab("--slots", 3, environment={"SCREE_SLOTS": "2", "SCREE_MAX_ATTEMPTS": "5"}) as lab:
            self.assertEqual(lab.json("GET", "/readyz")["slots"], 3)
            job = lab.submit(Lab.small_scene())
            self.assertEqual(job["max_attempts"], 5)

    def test_other_names(self):
        """--host adds names people reach it by; without it they are refused"""
        with Lab("--host", "lab.example.org,lab") as lab:
            for host, status in (("lab", 200), ("LAB.example.org:443", 200), ("other", 421)):
                self.assertEqual(lab.request("GET", "/healthz", headers={"Host": host})[0], status)

    def test_ipv6(self):
        """it listens on the IPv6 loopback too"""
        try:
            with socket.socket(socket.AF_INET6) as s:
                s.bind(("::1", 0))
        except OSError:
            self.skipTest("no IPv6 here")
        process = subprocess.Popen([str(SCREED), "--listen", "::1", "--port", "0", "--data", str(self.folder)], stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        self.assertRegex(line, r"http://\[::1\]:[0-9]+/")
        port = int(line.split("]:")[1].split("/")[0])
        with socket.create_connection(("::1", port)) as s:
            s.sendall(f"GET /healthz HTTP/1.1\r\nHost: [::1]:{port}\r\nConnection: close\r\n\r\n".encode())
            self.assertIn(b"200 OK", s.recv(1000))
        process.terminate()
        self.assertEqual(process.wait(timeout=120 * PATIENCE), 0)
        process.stdout.close()

    def test_second_signal(self):
        """a second SIGTERM does not wait for workers"""
        lab = Lab("--drain-seconds", 600).start()
        self.addCleanup(lab.close, check=False)
        job = lab.submit(Lab.long_scene())["id"]
        lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 0)
        lab.signal_workers(signal.SIGSTOP)
        lab.signal(signal.SIGTERM)
        end = time.monotonic() + 60 * PATIENCE
        while lab.request("GET", "/readyz")[0] != 503 and time.monotonic() < end:
            time.sleep(0.02)  # a second signal that comes before the first has been taken is none
        self.assertIsNone(lab.process.poll())
        begun = time.monotonic()
        lab.signal(signal.SIGTERM)
        self.assertEqual(lab.process.wait(timeout=120 * PATIENCE), 0)
        self.assertLess(time.monotonic() - begun, 60 * PATIENCE)

    def test_restart(self):
        """a job that was running when screed was told to end goes on after the next start"""
        lab = Lab("--checkpoint-seconds", 1).start()
        self.addCleanup(lab.close, check=False)
        scene = Lab.small_scene(steps=20000, frames=50)
        job = lab.submit(scene)["id"]
        lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 100)
        self.assertEqual(lab.stop(), 0)
        lab.start()
        ended = lab.wait(job)
        self.assertEqual((ended["state"], ended["error"]), ("succeeded", None))
        self.assertEqual(lab.stop(), 0)

    def test_notify(self):
        """systemd is told when it is ready and when it stops"""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.bind(str(self.folder / "notify"))
            s.settimeout(20 * PATIENCE)
            with Lab(environment={"NOTIFY_SOCKET": str(self.folder / "notify")}) as lab:
                self.assertIn(b"READY=1", s.recv(1000))
                self.assertEqual(lab.stop(), 0)
            self.assertIn(b"STOPPING=1", s.recv(1000))

    def test_write_to_nobody(self):
        """a client that leaves while it is being answered does not end the daemon"""
        with Lab() as lab:
            job = lab.submit(Lab.small_scene())["id"]
            lab.wait(job)
            for _ in range(20):
                with socket.create_connection(("127.0.0.1", lab.port)) as s:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # RST at close
                    s.sendall(f"GET /api/v1/jobs/{job}/recording HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertEqual(lab.request("GET", "/healthz")[0], 200)


if __name__ == "__main__":
    unittest.main()
