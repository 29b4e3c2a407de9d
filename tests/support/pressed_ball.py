"""A rubber ball of 1 cm between six walls that come in, by finite elements and then as one grain of lsdem with the mode and the table that they made: the
path of the specification's 4.12 and 5.2 through the service. Lengths in m, forces in N."""

RADIUS = 0.01
# Way of a wall over the radius, and force of one wall: the paper's table 2 (specification, 4.11) for a radius of 1 cm and E = 1e8 Pa, which is its own where E = 1e4
PAPER = [(0.004, 4.12), (0.008, 11.95), (0.014, 28.63), (0.023, 63.39), (0.0365, 134.77), (0.04156, 167.32), (0.04916, 222.16), (0.06055, 317.71), (0.07763, 493.45), (0.08404, 569.48),
         (0.09365, 694.49), (0.10807, 908.45), (0.11347, 996.90), (0.12158, 1138.99), (0.13375, 1373.51), (0.15199, 1777.76), (0.16, 1974.62)]
RUBBER = {"name": "rubber", "density": 1100, "young_modulus": 1e8, "poisson_ratio": 0.3}


def paper(least, most=1):
    """The paper's pairs of a wall's way, m, and its force, N, from the ways `least` to `most`, over the radius."""
    return [(RADIUS * way, force) for way, force in PAPER if least <= way <= most]


def six_walls(velocity, steps):
    """A box of six walls that come in."""
    return {"type": "box", "minimum": [-RADIUS] * 3, "maximum": [RADIUS] * 3, "gravity": [0, 0, 0],
            "walls": {f"{axis}_{side}": {"program": steps(-velocity if side == "max" else velocity)} for axis in "xyz" for side in ("min", "max")}}


def by_elements(spacing):
    """A ball of finite elements between six walls that go 2.1 mm, and 21 levels of that load as the table of one mode; slow against its vibrations. An even number of elements across
    has nodes at the poles, where walls touch first: 10 at a spacing of 1.6 mm, 12 at 1.35, 16 at 1.01, 20 at 0.81."""
    return {"scree": 1, "name": "ball", "method": "coarsening",
            "options": {"law": "linear", "impact": "mass", "basis": True, "snapshots": 21, "snapshot_modes": "last", "modes": 1, "meshes": "0.005"},
            "materials": [{**RUBBER, "stiffness_damping": 2e-4}], "contact": {"friction_coefficient": 0},
            "specimens": [{"name": "ball", "material": "rubber", "spacing": spacing, "shape": {"type": "sphere", "radius": RADIUS}, "placement": {"type": "single", "position": [0, 0, 0]}}],
            "rig": six_walls(0.021, lambda v: [{"type": "constant", "velocity": v}]), "time": {"duration": 0.1, "time_step": 0.1 / 42}}


def by_modes(digest, stiffness=1e13, **changes):
    """The same ball as one grain of lsdem, pressed by 1.56 mm: beyond, the mode strains the places under the walls by more than 0.7. `stiffness`: of contacts, N/m3."""
    specimen = {"name": "ball", "material": "rubber", "spacing": 0.001, "modes": "basis", "mode_basis": f"sha256:{digest}", "mode_energy": "table", "largest_amplitude": 0.002,
                "shape": {"type": "sphere", "radius": RADIUS}, "placement": {"type": "single", "position": [0, 0, 0]}}
    specimen.update(changes)
    return {"scree": 1, "name": "ball", "method": "lsdem", "materials": [RUBBER], "contact": {"contact_stiffness": stiffness}, "specimens": [specimen],
            "rig": six_walls(0.1, lambda v: [{"type": "ramp", "velocity": v, "duration": 0.002}, {"type": "constant", "velocity": v}]),
            "time": {"duration": 0.0166}, "output": {"sample_interval": 2e-5}}


def table_of(basis):
    """Amplitudes, m, energies, J, and forces of all six walls, N, of the levels of a basis of one mode."""
    words = basis.decode().split()
    at = words.index("levels")
    numbers = [float(word) for word in words[at + 5:at + 5 + 3 * int(words[at + 1])]]
    return numbers[0::3], numbers[1::3], numbers[2::3]


def between(x, xs, ys):
    """Piecewise linear from the origin on."""
    xs, ys = [0, *xs], [0, *ys]
    k = max(1, next(k for k in range(len(xs)) if xs[k] >= x))
    return ys[k - 1] + (ys[k] - ys[k - 1]) * (x - xs[k - 1]) / (xs[k] - xs[k - 1])


def work_of(way, force):
    """Work, J, of the walls over a table that begins at no force."""
    return sum((force[k] + (force[k - 1] if k else 0)) * (way[k] - (way[k - 1] if k else 0)) / 2 for k in range(len(way)))


def basis_of(lab, job):
    """The basis that a job made, and its digest as an asset of the same service."""
    basis = lab.request("GET", f"/api/v1/jobs/{job}/files/coarsening/modes.basis")[2]
    return basis, lab.json("POST", "/api/v1/assets?name=some.basis", basis, {"Content-Type": "text/plain"})["digest"]


def curves_of(lab, job, names):
    """A job's curves by name."""
    answer = lab.json("GET", f"/api/v1/jobs/{job}/curves?series={','.join(names)}&max_points=10000")
    return {series["name"]: [sample[k] for sample in answer["samples"]] for k, series in enumerate(answer["series"])}


def force_of_walls(lab, job, width):
    """The force of all six walls of a job of the grain, N, as a function of how far they went: means over ways nearer than `width`, m, which level out what swings."""
    names = [f"wall.{axis}_{side}.force_{axis}" for axis in "xyz" for side in ("min", "max")]
    curves = curves_of(lab, job, [*names, "wall.z_max.displacement"])
    gone = [abs(x) for x in curves["wall.z_max.displacement"]]
    force = [sum(abs(curves[name][k]) for name in names) for k in range(len(gone))]

    def at(place):
        near = [force[k] for k in range(len(gone)) if abs(gone[k] - place) < width]
        return sum(near) / len(near)
    return at
