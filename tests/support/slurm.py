"""A real Slurm of one node for a test: munge, controller and node daemon in a folder of their own, with own key and ports, no systemd, no accounting.

    with Slurm() as engine:
        Lab("--executor", "slurm", environment=engine.environment)
        engine.kill_controller(); engine.start_controller()

Slurm.missing() says what is not there on this machine; "" when nothing is (Debian: slurmctld, slurmd, slurm-client, munge)."""
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from lab import LabError, quiet_port

PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmstepd", "sbatch", "squeue", "scancel", "sinfo", "scontrol")
PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/local/sbin"


class Slurm:
    """node_timeout: s after which a node without a daemon counts as lost; processors: that the node is said to have, whatever the machine has."""

    def __init__(self, processors=4, node_timeout=10):
        self.folder = Path(tempfile.mkdtemp(prefix="scree-slurm-"))
        self.conf = self.folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.conf)}
        self.processors, self.node_timeout = processors, node_timeout

    @staticmethod
    def missing():
        """What of Slurm is not there, for people."""
        lacking = [name for name in PROGRAMS if not shutil.which(name, path=PLACES) and name != "slurmstepd"]
        if lacking:
            return f"{', '.join(lacking)} not installed (Debian: slurmctld, slurmd, slurm-client, munge)"
        return "" if os.geteuid() == 0 else "Slurm's daemons are started by root alone here"

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *ignored):
        self.stop()

    def run(self, *command, check=True):
        path = shutil.which(command[0], path=PLACES)
        done = subprocess.run([path, *map(str, command[1:])], env=dict(os.environ, **self.environment), text=True, capture_output=True, timeout=60, check=False)
        if check and done.returncode != 0:
            raise LabError(f"{' '.join(map(str, command))}: {done.returncode}: {done.stderr}{self.logs()}")
        return done.stdout

    def logs(self):
        return "".join(f"\n{path.name}: {path.read_text(errors='replace')[-1500:]}" for path in sorted(self.folder.glob("*.log")))

    def start(self):
        for name in ("state", "spool", "munge", "tmp"):
            (self.folder / name).mkdir()
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        munge = self.folder / "munge"
        self.run("munged", "--force", f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--log-file={munge}/munge.log", f"--seed-file={munge}/seed",
                 f"--key-file={key}", "--num-threads=1")
        self.conf.write_text(self.configuration())
        self.start_controller()
        self.start_node()
        self.wait_for_node()

    def configuration(self):
        folder, host, user = self.folder, socket.gethostname(), getpass.getuser()
        return f"""
ClusterName=scree_test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmctldPort={quiet_port()}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
TmpFS={folder}/tmp
ReturnToService=2
SlurmdTimeout={self.node_timeout}
SlurmdParameters=config_overrides
KillWait=2
MessageTimeout=5
MinJobAge=60
MailProg=/bin/true
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={quiet_port()} CPUs={self.processors} SocketsPerBoard=1 CoresPerSocket={self.processors} \
ThreadsPerCore=1 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=60 DefaultTime=30 State=UP
PartitionName=short Nodes=ALL MaxTime=1 State=UP
"""

    def start_controller(self):
        self.run("slurmctld")

    def start_node(self):
        self.run("slurmd", "-N", "n1")

    def pid_of(self, name):
        try:
            return int((self.folder / name).read_text())
        except (OSError, ValueError):
            return 0

    def _end(self, name, number, wait=10):
        pid = self.pid_of(name)
        end = time.monotonic() + wait
        try:
            while pid > 0:
                os.kill(pid, number if time.monotonic() < end else signal.SIGKILL)
                time.sleep(0.05)
                number = 0
        except ProcessLookupError:
            pass
        (self.folder / name).unlink(missing_ok=True)

    def kill_controller(self, saved=True):
        """saved: not before it has written what it knows; else what it took within the last seconds may be lost with it."""
        path, begun, end = self.folder / "state" / "job_state", time.time(), time.monotonic() + 30
        while saved and time.monotonic() < end and (not path.exists() or path.stat().st_mtime < begun):
            time.sleep(0.1)
        self._end("slurmctld.pid", signal.SIGKILL)

    def kill_node(self):
        """The node's daemon alone: what it has started lives on."""
        self._end("slurmd.pid", signal.SIGKILL)

    def node_state(self):
        return self.run("sinfo", "-h", "-N", "-p", "main", "-o", "%T").strip()

    def resume_node(self):
        """As an administrator does with a node that Slurm took out of service."""
        if self.node_state().rstrip("*") in ("down", "drained", "draining", "drain", "fail"):
            self.run("scontrol", "update", "NodeName=n1", "State=RESUME", check=False)

    def wait_for_node(self, states=("idle", "mixed", "allocated"), timeout=60):
        end = time.monotonic() + timeout
        while self.node_state() not in states:
            self.resume_node()
            if time.monotonic() > end:
                raise LabError(f"the node is {self.node_state()}{self.logs()}")
            time.sleep(0.1)

    def queue(self):
        """Lines "ID STATE NAME" of all jobs that Slurm remembers."""
        return [line.split() for line in self.run("squeue", "-h", "-t", "all", "-o", "%A %T %j").splitlines()]

    def stop(self):
        if self.conf.exists() and self.pid_of("slurmctld.pid"):
            self.run("scancel", f"--user={os.getuid()}", check=False)
        for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
            self._end(name, signal.SIGTERM)
        for process in self.steps():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def steps(self):
        """Processes that Slurm's node daemon started for jobs, and that live on without it."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.environment["SLURM_CONF"].encode() in (entry / "environ").read_bytes() and int(entry.name) != os.getpid() and \
                        (entry / "comm").read_text().strip() in ("slurmstepd", "scree-worker"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found
