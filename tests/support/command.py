"""Running the command line `scree` in tests."""
import json
import os
import subprocess

from lab import BUILD, PATIENCE

SCREE = str(BUILD / "scree")


class Result:
    """What one call left: code, out, err; json() parses out."""

    def __init__(self, process):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr

    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out}\nstderr: {self.err}"


def environment(server=None):
    """The environment of a call: one server or none, no other settings of Scree."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SCREE_")}
    return dict(clean, SCREE_SERVER=server) if server else clean


def scree(*arguments, stdin=None, server=None, prefix=(), timeout=480, **options):
    """Runs `scree ARGUMENTS` to its end. `prefix`: a command to run it under."""
    process = subprocess.run([*prefix, SCREE, *[str(a) for a in arguments]], input=stdin, capture_output=True, text=True, check=False,
                             env=environment(server), timeout=timeout * PATIENCE, **options)
    return Result(process)


def begin(*arguments, server=None):
    """Starts `scree ARGUMENTS` and returns the process."""
    return subprocess.Popen([SCREE, *[str(a) for a in arguments]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(server))
