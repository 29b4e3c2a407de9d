"""All experiments of the round robin, in the order of the report."""
from . import balls, beams, compression, disc, grains, motion

EXPERIMENTS = [*compression.EXPERIMENTS, *beams.EXPERIMENTS, *disc.EXPERIMENTS, *balls.EXPERIMENTS, *motion.EXPERIMENTS,
               *grains.EXPERIMENTS]
