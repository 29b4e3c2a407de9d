"""Numbers that a validation script checks, as tests/support/claim.h has them for programs: rows of the validation report.

    class Ball(Claims):
        def test_is_round(self):
            \"\"\"a ball is round

            Its radius is taken along three axes; why the tolerance is what it is.\"\"\"
            self.slow("a minute")
            self.claim_relative("radius, m", measured, 0.01, 1e-3, "the scene")

Each claim prints its row, then fails the case when the number is out of tolerance (NaN always is). The docstring's first line is the claim; what follows it
goes into the report. Text must have no tabs or line ends."""
import os
import unittest


class Claims(unittest.TestCase):
    """Cases that make claims."""

    def slow(self, why):
        """Skips the case, which takes as long as `why` says, unless slow cases are asked for."""
        if not os.environ.get("SCREE_SLOW"):
            self.skipTest(f"{why}; SCREE_SLOW=1 runs it")

    def claim_relative(self, what, measured, reference, tolerance, source):
        """|measured - reference| <= tolerance |reference|. `source`: where the reference comes from, a few words."""
        allowed = f"{100 * tolerance:.3g} %" if tolerance >= 1e-4 else f"{tolerance:.3g} of it"
        self._row(abs(measured - reference) <= tolerance * abs(reference), what, measured, f"{reference:.9g}", allowed, source)

    def claim_between(self, what, measured, low, high, source):
        """low <= measured <= high; either may be infinite."""
        self._row(low <= measured <= high, what, measured, f"{low:.6g} to {high:.6g}", "in the range", source)

    def claim_shown(self, what, measured):
        """A number worth reading that nothing depends on."""
        print(f"# claim: {what}\t{measured:.9g}\t\t\t\tmeasured, not checked", flush=True)

    def _row(self, holds, what, measured, reference, tolerance, source):
        print(f"# claim: {what}\t{measured:.9g}\t{reference}\t{tolerance}\t{source}\t{'holds' if holds else 'FAILS'}", flush=True)
        self.assertTrue(holds, f"{what}: measured {measured:.9g}, reference {reference}, tolerance {tolerance}")
