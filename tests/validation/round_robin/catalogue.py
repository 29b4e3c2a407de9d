"""All experiments of the round robin, in the order of the report."""
from . import balls, beams, compression, disc, grains, heap, motion

EXPERIMENTS = [*compression.EXPERIMENTS, *beams.EXPERIMENTS, *disc.EXPERIMENTS, *balls.EXPERIMENTS, *motion.EXPERIMENTS,
               *grains.EXPERIMENTS, *heap.EXPERIMENTS]

# Scenes of the gallery by which users lay methods over each other: the method is the one word to change.
GALLERY = {"cylinder-press": ("peridem", "bdem", "fem", "lsdem"), "cube-press": ("peridem", "bdem", "fem", "lsdem"),
           "stacked-cubes": ("peridem", "bdem", "lsdem"), "rough-press": ("peridem", "bdem", "fem"),
           "damped-drop": ("lsdem", "rigid"), "four-ball-heaps": ("lsdem", "rigid"), "ball-press": ("peridem", "bdem", "fem", "lsdem"),
           "slope-blocks": ("peridem", "bdem", "fem", "lsdem", "rigid"), "bar-on-wall": ("peridem", "bdem", "fem"),
           "cantilever-sag": ("peridem", "bdem", "fem"), "ball-drop": ("peridem", "bdem", "fem", "lsdem", "rigid"),
           "grain-box": ("bdem", "lsdem", "rigid")}
