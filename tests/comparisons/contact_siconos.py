"""Contact solvers against Debian's siconos: its NSGS and its ADMM on the same problems, in turns, judged by one yardstick. Prints Markdown.

    /usr/bin/python3 contact_siconos.py FOLDER... [--each 6] [--tolerance 1e-6]

Each FOLDER holds FCLIB problems (record_contacts.py makes some; tests/data/dcfp has sixteen). The yardstick is the project's own residual: the largest
natural map |s r - proj(s r - u~)| of a contact over the largest component of q, from the impulses alone. Siconos is asked for 1e-6, then 1e-8, then 1e-10 by
its own measure, and the first answer that the yardstick passes is timed: it is not made to do more than is asked of us. It gets W = H M^-1 H' for nothing, and
only its solver is timed; our time has everything after reading the file. Needs siconos.numerics; where it is absent that is said and nothing is measured."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parents[2]
SCREE = pathlib.Path(os.environ.get("SCREE_BUILD", HERE / "build")) / "scree"
LIMIT = 20000

try:
    import numpy as np
    import scipy.sparse as sp
    import scipy.sparse.linalg as spl
    import siconos.numerics as sn
except ImportError as missing:
    print(f"without siconos, whose sections of the report stay as they are: {missing}", file=sys.stderr)
    sys.exit(0)

warnings.filterwarnings("ignore")


def matrix(words, at, rows, columns):
    """A section `name count` of triplets. Returns it and where the next one begins."""
    count = int(words[at + 1])
    entries = np.array(words[at + 2:at + 2 + 3 * count], dtype=float).reshape(-1, 3)
    return sp.csc_matrix((entries[:, 2], (entries[:, 0].astype(int), entries[:, 1].astype(int))), shape=(rows, columns)), at + 2 + 3 * count


class Problem:
    """W, q and mu of a file, by way of the text form; and what an impulse is worth."""

    def __init__(self, path):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder) / "problem.txt"
            subprocess.run([SCREE, "contact", "solve", path, "-o", text, "-q", "--solver", "gauss-seidel", "--limit", "1"],
                           capture_output=True, check=False)
            words = text.read_text().split()
        self.path, self.dimension = path, int(words[5])
        size, count = int(words[7]), int(words[9])
        rows = count * self.dimension
        mass, at = matrix(words, 10, size, size)
        momentum = np.array(words[at + 1:at + 1 + size], dtype=float)
        h, at = matrix(words, at + 1 + size, rows, size)
        offset = np.array(words[at + 1:at + 1 + rows], dtype=float)
        at += 1 + rows
        self.friction = np.array(words[at + 1:at + 1 + count], dtype=float)
        self.bodies = size // 6
        blocks = mass.tobsr((6, 6)) if size % 6 == 0 else None
        if blocks is not None and len(blocks.data) == self.bodies:
            inverse = sp.bsr_matrix((np.linalg.inv(blocks.data), blocks.indices, blocks.indptr), shape=mass.shape)
            self.q = h @ (inverse @ momentum) + offset
            self.w = sp.csc_matrix(h @ inverse @ h.T)
            self.w.sort_indices()
        else:
            solve = spl.factorized(mass)
            self.q = h @ solve(momentum) + offset
            moved = h.T.toarray()
            self.w = sp.csc_matrix(h @ np.column_stack([solve(moved[:, k]) for k in range(rows)])) if rows else None
        self.scale = self.w.diagonal().reshape(count, -1).mean(axis=1)

    def residual(self, impulse):
        """Relative natural map."""
        r = impulse.reshape(len(self.friction), -1)
        u = (self.w @ impulse + self.q).reshape(r.shape).copy()
        u[:, 0] += self.friction * np.linalg.norm(u[:, 1:], axis=1)
        x, mu = self.scale[:, None] * r - u, self.friction
        t = np.linalg.norm(x[:, 1:], axis=1)
        along = (x[:, 0] + mu * t) / (1 + mu * mu)
        edge = np.column_stack([along, (mu * along / np.maximum(t, 1e-300))[:, None] * x[:, 1:]])
        p = np.where((t <= mu * x[:, 0])[:, None], x, np.where((mu * t <= -x[:, 0])[:, None], 0.0, edge))
        return np.linalg.norm(self.scale[:, None] * r - p, axis=1).max() / np.abs(self.q).max()


def siconos(problem, solver, tolerance):
    """Processor seconds, residual."""
    given = sp.csc_matrix(problem.w)
    for asked in (tolerance, 1e-2 * tolerance, 1e-4 * tolerance):
        wrapped = sn.FrictionContactProblem(3, len(problem.friction), given, problem.q, problem.friction)
        options = sn.SolverOptions(solver)
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = LIMIT
        options.dparam[sn.SICONOS_DPARAM_TOL] = asked
        r, u = np.zeros(len(problem.q)), np.zeros(len(problem.q))
        begun = time.process_time()
        sn.fc3d_driver(wrapped, r, u, options)
        seconds = time.process_time() - begun
        residual = problem.residual(r) if np.isfinite(r).all() else np.inf
        if residual <= tolerance:
            break
    return seconds, residual


def ours(problem, solver, tolerance):
    """Seconds, residual by this script's yardstick."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "solved.txt"
        done = subprocess.run([SCREE, "contact", "solve", problem.path, "-o", text, "--json", "-s", solver, "-t", str(tolerance)]
                              + (["--limit", str(LIMIT)] if solver != "auto" else []), capture_output=True, text=True, check=False)
        words = text.read_text().split()
    at = words.index("impulse")
    impulse = np.array(words[at + 1:at + 1 + len(problem.q)], dtype=float)
    said, found = json.loads(done.stdout), problem.residual(impulse)
    assert abs(said["residual"] - found) <= 1e-3 * found + 1e-9, f"{problem.path}: we say {said['residual']}, the yardstick {found}"
    return said["seconds"], found


def runs(problem, tolerance):
    """Of every solver: seconds, residual."""
    return [ours(problem, "auto", tolerance), ours(problem, "gauss-seidel", tolerance),
            siconos(problem, sn.SICONOS_FRICTION_3D_NSGS, tolerance), siconos(problem, sn.SICONOS_FRICTION_3D_ADMM, tolerance)]


def cell(results, tolerance):
    """Solved, mean milliseconds of all."""
    solved = sum(residual <= tolerance for _, residual in results)
    return f"{solved}, {1e3 * np.mean([seconds for seconds, _ in results]):.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=6)
    parser.add_argument("--tolerance", type=float, default=1e-6)
    given = parser.parse_intermixed_args()
    print(f"## Against siconos\n\nProblems solved to {given.tolerance:g} by our yardstick, mean milliseconds of all; at most {LIMIT} sweeps or iterations "
          "(auto: its own). The last column: median of NSGS's time over auto's where both solve.\n\n"
          "| problems | number | mean contacts | auto | Gauss-Seidel | siconos NSGS | siconos ADMM | NSGS over auto |\n|---|---|---|---|---|---|---|---|")
    for folder in given.folders:
        files = sorted(folder.glob("*.hdf5"))
        files = [files[k] for k in sorted({round(j * (len(files) - 1) / max(1, given.each - 1)) for j in range(min(given.each, len(files)))})]
        problems = [Problem(path) for path in files]
        problems = [p for p in problems if p.dimension == 3 and len(p.friction) and np.abs(p.q).max() > 0 and (p.friction >= 0).all()]
        if not problems:
            continue
        columns = list(zip(*[runs(p, given.tolerance) for p in problems]))
        ratios = [b[0] / a[0] for a, b in zip(columns[0], columns[2]) if max(a[1], b[1]) <= given.tolerance]
        print(f"| {folder.name} | {len(problems)} | {np.mean([len(p.friction) for p in problems]):.0f} | "
              + " | ".join(cell(c, given.tolerance) for c in columns) + f" | {np.median(ratios) if ratios else float('nan'):.2g} |", flush=True)


if __name__ == "__main__":
    main()
