#!/usr/bin/env python3
"""Times LAMMPS's peridynamics package (Debian's `lmp`, pair style peri/pmb) on a cube of a simple cubic lattice.

  lammps_peri.py NODES_PER_EDGE STEPS [PROCESSES] [irregular]     prints one JSON object

The case of the numbers to beat: horizon 3.0015 spacings, material 1 of LAMMPS's own peridynamics example, no bond breaks. The
neighbour skin is set small (a fifth of the spacing), which is LAMMPS's fastest choice for a body at rest: its pair loop also walks
the neighbours that are not bonded. The best of three runs counts, as for Scree. Irregular: nodes are moved at random by up to a fifth of the spacing along
each axis before they are bonded.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INPUT = """units si
boundary s s s
atom_style peri
atom_modify map array
neighbor 0.0001 bin
lattice sc 0.0005
region target block 0 {edge} 0 {edge} 0 {edge} units box
create_box 1 target
create_atoms 1 region target
{displace}
pair_style peri/pmb
variable c equal 18.0*14.9e9/(3.14159265358979*0.00150075^4)
pair_coeff * * ${{c}} 0.00150075 1.0e10 0.25
set group all density 2200
set group all volume 1.25e-10
velocity all create 1e-6 1234
fix 1 all nve
timestep 1.0e-8
thermo {steps}
run {steps}
"""


def time_once(nodes_per_edge, steps, processes, irregular):
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "in.peri"
        script.write_text(INPUT.format(edge=(nodes_per_edge - 0.5) * 0.0005, steps=steps,
                                       displace="displace_atoms all random 1e-4 1e-4 1e-4 4321" if irregular else ""))
        command = ["lmp", "-in", str(script), "-log", "none"]
        if processes > 1:
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(processes)] + command
        output = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True,
                                env={"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}).stdout
    loop = re.search(r"Loop time of ([\d.e+-]+) on \d+ procs for \d+ steps with (\d+) atoms", output)
    bonds = re.search(r"total # of bonds = (\d+)", output)
    if not loop or not bonds:
        raise SystemExit("lammps_peri.py: lmp printed no loop time or no bond count:\n" + output[-2000:])
    return float(loop[1]), int(loop[2]), int(bonds[1]) // 2


def main():
    nodes_per_edge, steps = int(sys.argv[1]), int(sys.argv[2])
    processes, irregular = int(sys.argv[3]) if len(sys.argv) > 3 else 1, "irregular" in sys.argv
    seconds, nodes, bonds = min(time_once(nodes_per_edge, steps, processes, irregular) for _ in range(3))
    print(json.dumps({"nodes": nodes, "bonds": bonds, "steps": steps, "processes": processes, "seconds": seconds,
                      "ns_per_bond": seconds / steps / bonds * 1e9}))


if __name__ == "__main__":
    main()
