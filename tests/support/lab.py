"""A real screed for one test: its own data folder, a free port, and everything gone afterwards.

    with Lab() as lab:
        status, headers, body = lab.request("GET", "/healthz")
        job = lab.submit(lab.small_scene())
        lab.wait(job["id"])

The programs are those of $SCREE_BUILD (default: build). SCREE_SCREED names another screed.
"""
import atexit
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("SCREE_BUILD", "build")
SANITIZED = BUILD.name == "sanitize"
# Sanitized programs are several times slower; limits that only guard against hanging are stretched.
PATIENCE = 4.0 if SANITIZED else 1.0
# Where screed leaves its token for programs of the same user: of these tests alone, and read by the command line and the Python client they start.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="scree-test-state-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)
TOKENS = {}  # by port, of every Lab that was started: whoever speaks to one by another way than Lab.request takes it from here
ENDED = ("succeeded", "failed", "cancelled")


def quiet_port():
    """A port that is free and that the system gives to nobody by itself: for a server that is to be there again on the same one, or whose port can't be
    asked. What asks for port 0, and every connection, takes one of the range that is left out here."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    for _ in range(1000):
        port = random.SystemRandom().randrange(min(10000, lowest // 2), lowest)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    raise LabError("no port is free")


class LabError(RuntimeError):
    """screed did not start, or answered what the test did not expect."""


class Lab:
    """One screed process and its data folder. `options` are further command-line options."""

    def __init__(self, *options, data=None, environment=None, screed=None):
        self.options = [str(o) for o in options]
        self.own_folder = None if data else tempfile.mkdtemp(prefix="scree-test-")
        self.data = Path(data) if data else Path(self.own_folder) / "data"
        self.screed = Path(screed or os.environ.get("SCREE_SCREED", BUILD / "screed"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SCREE_")} | (environment or {})
        self.process = None
        self.port = None
        self.token = None
        self.log = None

    # ── life ──

    def start(self, *options):
        """Starts screed and waits until it listens; again after stop() or kill() on the same data."""
        try:
            return self._start(options)
        except BaseException:
            self.close(check=False)
            raise

    def _start(self, options):
        self.log = tempfile.TemporaryFile(mode="w+", prefix="scree-log-")
        command = [str(self.screed), "--data", str(self.data), "--port", "0", *self.options, *[str(o) for o in options]]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True, env=self.environment)
        line = self.process.stdout.readline()
        match = re.search(r"listening on http://(\S+):(\d+)/", line)
        if not match:
            self.process.wait(timeout=30 * PATIENCE)
            raise LabError(f"screed ended with {self.process.returncode} instead of listening: {line}{self.errors()}")
        self.port = int(match[2])
        self.token = (Path(os.environ["XDG_STATE_HOME"]) / "scree" / "servers" / match[2]).read_text(encoding="ascii").strip()
        TOKENS[self.port] = self.token
        return self

    def errors(self):
        """What screed wrote to stderr so far."""
        self.log.seek(0)
        return self.log.read()

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, timeout=60):
        """SIGTERM, and waits. Returns the exit code."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=timeout * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise LabError(f"screed did not end within {timeout} s of SIGTERM: {self.errors()}") from None
        return self._gone()

    def kill(self):
        """SIGKILL: what a power cut or the kernel does to it. Workers find out by themselves."""
        self.process.kill()
        self.process.wait()
        return self._gone()

    def _gone(self):
        code, self.process = self.process.returncode, None
        self.last_errors = self.errors()
        self.log.close()
        return code

    def open_files(self):
        """What screed has open, as /proc names it: paths, "socket:[number]" and others."""
        found = []
        for entry in os.listdir(f"/proc/{self.process.pid}/fd"):
            try:
                found.append(os.readlink(f"/proc/{self.process.pid}/fd/{entry}"))
            except FileNotFoundError:
                pass  # closed meanwhile
        return found

    def connections_read(self):
        """How many connections screed has taken and read all of that has come so far."""
        own = set(self.open_files())
        with open("/proc/net/tcp", encoding="ascii") as table:
            rows = [line.split() for line in table][1:]
        return sum(int(row[1].split(":")[1], 16) == self.port and row[3] == "01" and row[4].endswith(":00000000") and f"socket:[{row[9]}]" in own
                   for row in rows)  # local address, ESTABLISHED, bytes not yet read, inode

    def worker_pids(self):
        """Process ids of the workers of this screed that run jobs."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if state != "Z" and b"scree-worker" in command[0] and b"--tasks" not in command and any(str(self.data).encode() in part for part in command[1:]):
                found.append(int(entry.name))
        return found

    def signal_workers(self, number):
        """Sends a signal to the workers that run now. Returns their process ids; one that ends by itself meanwhile is none of them."""
        found = []
        for pid in self.worker_pids():
            try:
                os.kill(pid, number)
                found.append(pid)
            except ProcessLookupError:
                pass
        return found

    def hold_workers(self):
        """Stops the processes of the workers that run now, which take no processors from what is tested then, until let_workers_go_on() or close(). A lease
        must not end meanwhile: 60 s, or --lease-seconds. Waits for the first: a job that runs has a worker some milliseconds later."""
        end = time.monotonic() + 60 * PATIENCE
        while not (held := self.signal_workers(signal.SIGSTOP)) and time.monotonic() < end:
            time.sleep(0.01)
        return held

    def let_workers_go_on(self):
        return self.signal_workers(signal.SIGCONT)

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        self.close(check=kind is None)

    def close(self, check=True):
        """Stops it, removes its folder. `check`: also that it ended well, without a complaint of a sanitizer."""
        try:
            if self.process is not None:
                self.let_workers_go_on()
                code = self.stop()
                if check and code != 0:
                    raise LabError(f"screed ended with {code}: {self.last_errors}")
                if check and "ERROR: " in self.last_errors and "Sanitizer" in self.last_errors:
                    raise LabError(self.last_errors)
        finally:
            if self.process is not None:
                self.process.kill()
                self.process.wait()
            for pid in self.worker_pids():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if self.own_folder:
                shutil.rmtree(self.own_folder, ignore_errors=True)

    # ── requests ──

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def request(self, method, path, body=None, headers=None, timeout=240):
        """One request on its own connection, with the token unless `headers` has an Authorization of its own (None: without any).
        Returns (status, headers with lower-case names, body bytes)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout * PATIENCE)
        try:
            headers = {"Authorization": f"Bearer {self.token}"} | (headers or {})
            headers = {name: value for name, value in headers.items() if value is not None}
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
                headers.setdefault("Content-Type", "application/json")
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def json(self, method, path, body=None, headers=None, expect=None):
        """A request whose answer is JSON. Returns the value; checks the status when `expect` is given."""
        status, _, content = self.request(method, path, body, headers)
        if expect is not None and status != expect:
            raise LabError(f"{method} {path}: {status} instead of {expect}: {content[:2000]!r}")
        return json.loads(content)

    def submit(self, scene, **headers):
        return self.json("POST", "/api/v1/jobs", scene, {k.replace("_", "-"): v for k, v in headers.items()}, expect=201)

    def job(self, number):
        return self.json("GET", f"/api/v1/jobs/{number}", expect=200)

    def wait_until(self, number, condition, timeout=480):
        """Polls a job until condition(job). Returns the job."""
        end, pause = time.monotonic() + timeout * PATIENCE, 0.02
        while True:
            job = self.job(number)
            if condition(job):
                return job
            if time.monotonic() > end:
                raise LabError(f"job {number} did not get there within {timeout} s: {job}; log: {self.errors()}")
            time.sleep(pause)
            pause = min(1.1 * pause, 0.1)  # seldom, where it lasts: a question takes processors from the job

    def wait(self, number, timeout=480):
        """Waits until a job has ended. Returns it."""
        return self.wait_until(number, lambda job: job["state"] in ENDED, timeout)

    # ── scenes ──

    @staticmethod
    def small_scene(steps=300, frames=20, name="small", radius=1e-3, spacing=2.5e-4):
        """A coarse hollow sphere between the walls of a box whose lid comes down: a few hundred nodes, done in about a second."""
        step = 2e-8
        duration = steps * step
        speed = min(10.0, 0.3 * radius / duration)
        return {
            "scree": 1, "name": name, "title": "A small test", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 135}],
            "specimens": [{"name": "grain", "material": "polymer", "spacing": spacing,
                           "shape": {"type": "hollow_sphere", "radius": radius, "inner_radius": radius / 2},
                           "placement": {"type": "single", "position": [0, 0, 0]}}],
            "rig": {"type": "box", "minimum": [-1.2 * radius, -1.2 * radius, -radius],
                    "maximum": [1.2 * radius, 1.2 * radius, radius],
                    "walls": {"z_max": {"program": [{"type": "constant", "velocity": -speed, "duration": duration}]}}},
            "time": {"duration": duration, "time_step": step},
            "output": {"frame_interval": duration / frames, "sample_interval": max(step, duration / frames / 5)},
        }

    @classmethod
    def long_scene(cls, **changes):
        """The same, running for minutes unless it is stopped."""
        return cls.small_scene(**{"steps": 2_000_000, "frames": 20_000, "name": "long", **changes})
