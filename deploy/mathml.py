"""Turns formulas in a small part of TeX's notation into MathML, which browsers draw without a library.

Understood: letters, numbers, operators, `_`, `^`, `{...}`, \\frac, \\sqrt, accents, \\text, \\mathbf, names of Greek letters and signs, and lines ended by `\\\\`
whose columns are parted by `&`. Anything else is an error, so that no page shows half a formula.
"""
import html
import re

LETTERS = dict(zip(
    "alpha beta gamma delta varepsilon epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi omega "
    "Gamma Delta Theta Lambda Phi Psi Omega Sigma ell".split(),
    "α β γ δ ε ϵ ζ η θ κ λ μ ν ξ π ρ σ τ φ ϕ χ ψ ω Γ Δ Θ Λ Φ Ψ Ω Σ ℓ".split()))
SIGNS = dict(zip(
    "le ge ne approx cdot times pm to perp partial nabla infty in subset quad qquad , ; { } | lVert rVert langle rangle ldots gets propto".split(),
    "≤ ≥ ≠ ≈ · × ± → ⊥ ∂ ∇ ∞ ∈ ⊂ \u2003 \u2003\u2003 \u2009 \u2005 { } ‖ ‖ ‖ ⟨ ⟩ … ← ∝".split(" ")))
LARGE = {"sum": "∑", "int": "∫", "max": "max", "min": "min"}
FUNCTIONS = "ln exp sin cos tan det dim arg sym Dev tr log asinh sgn".split()
ACCENTS = {"hat": "^", "dot": "˙", "ddot": "¨", "bar": "¯", "tilde": "~", "vec": "→"}
NO_BREAK = "\u00a0"  # blanks at the ends of <mtext> are not drawn
TOKEN = re.compile(r"\\(?:text|mathbf)\{[^{}]*\}|\\(?:[A-Za-z]+|.)|[0-9]+(?:\.[0-9]+)?|\S")


class Formula:
    """Tokens of a formula and how far they have been read."""

    def __init__(self, text):
        self.text, self.tokens, self.at = text, TOKEN.findall(text), 0

    def next(self):
        if self.at >= len(self.tokens):
            raise ValueError(f"a formula ends too early: {self.text}")
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def atom(self):
        """One letter, number, sign, group or command, without what stands above or below it."""
        token = self.next()
        if token == "{":
            return f"<mrow>{self.row('}')}</mrow>"
        if not token.startswith("\\"):
            return plain(token)
        if token.endswith("}") and len(token) > 2:  # \text{...}, \mathbf{...}: what is within is as it stands
            name, within = token[1:-1].split("{", 1)
            return f"<mtext>{html.escape(within).replace(' ', NO_BREAK)}</mtext>" if name == "text" else f'<mi class="bold">{html.escape(within)}</mi>'
        name = token[1:]
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in SIGNS:
            sign = SIGNS[name]
            return f"<mtext>{sign}</mtext>" if not sign.strip() else f"<mo>{sign}</mo>"
        if name in LARGE:
            return f'<mo movablelimits="true">{LARGE[name]}</mo>' if len(LARGE[name]) == 1 else f"<mo>{LARGE[name]}</mo>"
        if name in FUNCTIONS:
            return f"<mi>{name}</mi><mspace width=\"0.15em\"></mspace>"
        if name in ACCENTS:
            return f'<mover accent="true">{self.atom()}<mo>{ACCENTS[name]}</mo></mover>'
        if name == "frac":
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.atom()}</msqrt>"
        raise ValueError(f"a formula has \\{name}, which deploy/mathml.py does not know")

    def term(self):
        """An atom with its index and exponent."""
        base, low, high = self.atom(), "", ""
        while self.peek() in ("_", "^"):
            if self.next() == "_":
                low = self.atom()
            else:
                high = self.atom()
        base = base if base.count("</") == 1 or base.startswith(("<mrow", "<mover", "<mfrac", "<msqrt")) else f"<mrow>{base}</mrow>"
        if low and high:
            return f"<msubsup>{base}{low}{high}</msubsup>"
        if low:
            return f"<msub>{base}{low}</msub>"
        return f"<msup>{base}{high}</msup>" if high else base

    def row(self, end=""):
        """Terms up to `end`, which is read too."""
        out = []
        while self.peek() != end:
            out.append(self.term())
        if end:
            self.next()
        return "".join(out)


def plain(token):
    """A letter, a number or a sign as it is typed."""
    if token == "}":
        raise ValueError("a formula has a } without its {")
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token.isalpha():
        return f"<mi>{token}</mi>"
    if token == "'":
        return "<mo>′</mo>"
    stretch = ' stretchy="false"' if token in "()[]" else ' stretchy="false" lspace="0" rspace="0"' if token == "|" else ""
    return f"<mo{stretch}>{html.escape('−' if token == '-' else token)}</mo>"


def lines(text):
    """Lines of a displayed formula, each a list of columns."""
    return [[column.strip() for column in re.split(r"(?<!\\)&", line)] for line in re.split(r"\\\\", text) if line.strip()]


def inline(text):
    """<math> within a line."""
    return f"<math>{Formula(text).row()}</math>"


def display(text):
    """<math> of its own, a row for each line."""
    rows = "".join("<mtr>" + "".join(f"<mtd>{Formula(column).row()}</mtd>" for column in line) + "</mtr>" for line in lines(text))
    return f'<div class="formula"><math display="block"><mtable displaystyle="true">{rows}</mtable></math></div>'
