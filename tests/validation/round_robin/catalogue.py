"""All experiments of the round robin, in the order of the report."""
from . import compression

EXPERIMENTS = [*compression.EXPERIMENTS]
