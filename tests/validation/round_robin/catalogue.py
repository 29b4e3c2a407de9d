"""All experiments of the round robin, in the order of the report."""
from . import balls, beams, compression, grains, motion

EXPERIMENTS = [*compression.EXPERIMENTS, *beams.EXPERIMENTS, *balls.EXPERIMENTS, *motion.EXPERIMENTS, *grains.EXPERIMENTS]
