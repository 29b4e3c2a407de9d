"""The round robin: standard experiments, each under every method that can model it, beside references that are computed here. `make
round-robin` runs them all and writes ROUND_ROBIN.md; tests/validation/shared/validate_round_robin.py holds them."""
