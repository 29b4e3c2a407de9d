"""Where test programs stand: tests/unit/AREA/test_NAME.c and tests/validation/AREA/validate_NAME.c are suites of one program for each area, which
build/tests/SUITE/test_NAME links to; scripts are programs of their own."""
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGINS = {"unit": "test_", "validation": "validate_", "integration": "test_", "browser": "test_"}


def sources(suite, end, root=ROOT):
    """Sources of one kind of suite with that ending, in order of their names."""
    return sorted((root / "tests" / suite).glob(f"**/{BEGINS[suite]}*{end}"), key=lambda path: path.stem)


def source_of(program, root=ROOT):
    """The source of `suite/name`, or None when there is none."""
    suite, name = program.split("/")
    return next((path for end in (".c", ".py") for path in sources(suite, end, root) if path.stem == name), None)


def area_of(program, root=ROOT):
    """The program that `suite/name` is a suite of, as `suite/area`; of a script itself."""
    source = source_of(program, root)
    return f"{program.split('/')[0]}/{source.parent.name}" if source and source.suffix == ".c" else program
