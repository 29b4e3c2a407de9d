#!/usr/bin/env python3
"""Doubles each declared curve and field, one at a time, and looks whether the test notices that data/value_tests.txt says of it.

    values.py [--only PART] [--sample N --seed S] [--report FILE]

Like mutants.py in a copy of the checkout, with one change: what a curve or field gives is twice its value (of fields of whole numbers: that of the
first element for all, and seven more) when the environment asks for it by method and name. The test has noticed when its function fails, or, where the map names a helper, any function of
its program. Writes tests/reports/mutants/VALUES.md: what is not noticed, and how many."""
import argparse
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import mutants

MAP = mutants.ROOT / "tests" / "data" / "value_tests.txt"
REPORT = mutants.REPORT.with_name("VALUES.md")
ENTRY = re.compile(r"^(\w+) +(curve|field) +(\S+) +(\w+/\w+):(\w+)$", re.M)
ASK = '''
const char *planted_method = "";
static void plant_value(const scr_sim *sim, double *values)
{
  const char *method = getenv("SCREE_PLANT_METHOD"), *name = getenv("SCREE_PLANT_CURVE");
  if (!method || !name || strcmp(method, sim_method(sim)->about.name) != 0) return;
  for (size_t k = 1; k < sim->series_count; k++) {
    const char *dot = strrchr(sim->series[k].name, '.');
    bool part = strncmp(name, "<part>", 6) == 0 && k <= sim->part_series + sim->pressure_series + sim->ledger_series && dot && strcmp(dot, name + 6) == 0;
    if (part || strcmp(sim->series[k].name, name) == 0) values[k] *= 2;
  }
}
'''
FIELD = '''
extern const char *planted_method;
static bool plant_field(const scr_field *of)
{
  const char *method = getenv("SCREE_PLANT_METHOD"), *name = getenv("SCREE_PLANT_FIELD");
  return method && name && strcmp(method, planted_method) == 0 && strcmp(name, of->name) == 0;
}
'''
CHANGES = {  # file: [(text that stands there once, what it becomes)]
    "core/sim/sim.c": [
        ("void scr_sim_observe(const scr_sim *sim, double *values)\n", "extern const char *planted_method;" + ASK + "\\g<0>"),
        ("  values[0] = sim->time;\n", "\\g<0>  plant_value(sim, values);\n"),
        ("  SCR_TRY(sim_method(sim)->draw(sim, frame, error));\n", "  planted_method = sim_method(sim)->about.name;\n\\g<0>"),
    ],
    "core/record/frame/builder.c": [
        ("static scr_status store_field(", FIELD + "\\g<0>"),
        ("  SCR_TRY(check_least(of, &of->fields[field], at, columns[0].count, error));\n",
         "  if (plant_field(&of->fields[field])) {\n"
         "    scr_array_header *header = (scr_array_header *)(void *)at;\n"
         "    float *single = (float *)(void *)(header + 1);\n"
         "    for (uint32_t c = 0; c < of->fields[field].components && c < 3; c++) header->low[c] *= 2, header->high[c] *= 2;\n"
         "    for (uint32_t i = 0; header->encoding == SCR_ENCODING_FLOAT32 && i < header->byte_size / 4; i++) single[i] *= 2;\n"
         "  }\n\\g<0>"),
        ("  if (count) memcpy(at + sizeof(scr_array_header), values, (size_t)count * sizeof *values);\n",
         "\\g<0>  uint32_t *whole = (uint32_t *)(void *)(at + sizeof(scr_array_header));\n"
         "  for (uint32_t i = 0; i < count && plant_field(&of->fields[field]); i++) whole[i] = whole[0] + 7;\n"),
    ],
}


def entries():
    """Those of the map, but for numbers of nodes of lines: they say how the frame is laid out, and none can be read with others."""
    return [dict(zip(("method", "kind", "name", "program", "function"), found)) for found in ENTRY.findall(MAP.read_text(encoding="utf-8"))
            if found[1:3] != ("field", "nodes")]


def plant():
    for name, changes in CHANGES.items():
        path = mutants.TREE / name
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            text, count = re.subn(re.escape(old), new.replace("\n", "\n"), text)
            if count != 1:
                sys.exit(f"values.py: '{old.strip()}' stands {count} times in {name}, not once")
        path.write_text(text, encoding="utf-8")


def failures(program, entry=None):
    """Functions of a program that fail, with a value doubled; all when it ends by a signal."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", OMP_NUM_THREADS="1", SCREE_BUILD=str(mutants.TREE / "build"))
    if entry:
        environment["SCREE_PLANT_METHOD"] = entry["method"]
        environment[f"SCREE_PLANT_{entry['kind'].upper()}"] = entry["name"]
    done = subprocess.run([mutants.TREE / "build" / "tests" / program], cwd=mutants.TREE, env=environment, capture_output=True, text=True,
                          errors="replace", timeout=1200, check=False)
    found = {case[1].split(":")[0].strip() for case in mutants.CASE.finditer(done.stdout) if "# SKIP" not in case[0]}
    return found if done.returncode >= 0 else {"all"}


def noticed(entry, failed):
    text = mutants.suites.source_of(entry["program"]).read_text(encoding="utf-8")
    helper = not re.search(rf"cmocka_unit_test\w*\({entry['function']}\b", text)
    return bool(failed) if helper else entry["function"] in failed or "all" in failed


def write_report(count, missed, commit):
    lines = ["# Doubled values", "",
             "Written by `make value-faults`: each curve and field that a method declares is doubled (fields of whole numbers: the first one for all, and seven",
             "more), one at a time, and the test that `tests/data/value_tests.txt` names has to fail.", "",
             f"{count} doubled, {count - len(missed)} noticed. {commit}, {time.strftime('%Y-%m-%d')}.", "", "## Not noticed", ""]
    lines += [f"- {entry['method']} {entry['kind']} `{entry['name']}` by {entry['program']}:{entry['function']}" for entry in missed] or ["None."]
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Doubles each curve and field and looks whether its value test notices.")
    parser.add_argument("--only", default="", help="a regular expression that 'METHOD KIND NAME PROGRAM:FUNCTION' has to contain")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chosen = [entry for entry in entries() if re.search(arguments.only, "{method} {kind} {name} {program}:{function}".format(**entry))]
    if arguments.sample:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    mutants.copy_tree()
    plant()
    programs = sorted({entry["program"] for entry in chosen})
    commands = mutants.Commands(set(programs))
    missed = []
    for program in programs:
        built = commands.build(None, [program])
        if built.returncode != 0:
            sys.exit(built.stderr[-2000:])
        if sound := failures(program):
            sys.exit(f"{program} fails with nothing doubled: {', '.join(sorted(sound))}")
        for entry in (one for one in chosen if one["program"] == program):
            failed = failures(program, entry)
            if not noticed(entry, failed):
                missed.append(entry)
                others = f" (but by {', '.join(sorted(failed))})" if failed else ""
                print(f"{entry['method']} {entry['kind']} {entry['name']} is not noticed by {program}:{entry['function']}{others}", flush=True)
    print(f"{len(chosen)} doubled, {len(missed)} not noticed")
    if not arguments.only and not arguments.sample:
        write_report(len(chosen), missed, mutants.commit_of_code())
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
