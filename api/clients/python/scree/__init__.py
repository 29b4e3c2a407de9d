"""Scree from Python: submit scenes, watch them live, take their curves home.

    import scree
    lab = scree.Lab("http://127.0.0.1:8080")
    job = lab.submit(lab.gallery()["hollow-sphere-crush"])
    for sample in job.samples():                    # live, one dict per sample: {"time": 1e-6, "wall.z_max.force_z": 3.2, ...}
        print(sample["time"], sample["wall.z_max.force_z"])
    curves = job.wait().curves()                    # {"time": [...], ...}
    last = job.frames()[-1]
    last.positions, last.field("speed")             # NumPy arrays where NumPy is installed, else lists
    last.instances, last.surfaces, last.threads     # bodies, deforming meshes and polylines, where a method draws them
    last.grids                                      # cells of structured grids likewise
    print(job.doubts)                               # why not to trust a run that succeeded; [] for a plain success

    for job in lab.as_completed([lab.submit(scene) for scene in variants]): ...

    study = lab.study(lab.gallery()["hollow-sphere-crush"], vary={"/specimens/0/shape/inner_radius": [4e-4, 6e-4]},
                      results={"peak": "max(abs(wall.z_max.force_z))"})
    study.wait().table()                            # factors and results: a DataFrame where pandas is installed, else dicts

This folder, standard library only, Python 3.9 or later. All quantities are in SI units; curves carry theirs in Job.units().
"""
from .errors import Conflict, JobCancelled, JobFailed, NotFound, SceneRefused, ScreeError, ServerUnreachable, UnknownName
from .frames import Frame, Grid, Instances, Shape, Surface, Threads
from .job import Job
from .lab import Lab
from .measured import Measured
from .study import Study
from .transfer import ENDED

__all__ = ["Lab", "Job", "Study", "Measured", "Frame", "Shape", "Instances", "Surface", "Threads", "Grid", "ScreeError", "ServerUnreachable", "SceneRefused", "NotFound", "UnknownName", "Conflict", "JobFailed", "JobCancelled"]
