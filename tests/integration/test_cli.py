"""The command line against the real core and a real screed: every command, every exit code."""
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from command import begin, scree
from lab import PATIENCE, Lab

FILES = ["curves.csv", "fragments.svg", "plot.svg", "recording.scree", "scene.json"]
NOWHERE = "http://127.0.0.1:9"


def catches(pid, number):
    """Whether a child process handles a signal itself by now."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    mask = next((int(line.split()[1], 16) for line in lines if line.startswith("SigCgt:")), 0)
    return bool(mask >> (number - 1) & 1)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def scene(self, name="scene.json", **changes):
        path = self.folder / name
        path.write_text(json.dumps(Lab.small_scene(**changes)))
        return path

    def long_scene(self):
        path = self.folder / "long.json"
        path.write_text(json.dumps(Lab.long_scene()))
        return path

    def assertExit(self, code, result):
        self.assertEqual(result.code, code, result)


class LocalTest(Folder):
    def test_measured(self):
        """measured shows what a testing machine wrote, writes two columns in SI with corrections, refuses separators of thousands"""
        folder = Path(__file__).resolve().parents[1] / "data" / "measured"
        shown = json.loads(scree("measured", folder / "zwick.csv", "--json").out)
        self.assertEqual([(column["name"], column["unit"]) for column in shown["columns"]], [("Prüfzeit", "s"), ("Standardweg", "m"), ("Standardkraft", "N")])
        self.assertEqual(shown["rows"], 60)
        curve = scree("measured", folder / "mts.txt", "-x", "2", "-y", "3", "--x-factor", "-1", "--y-factor", "-1", "--compliance", "1e-9")
        self.assertExit(0, curve)
        lines = curve.out.splitlines()
        self.assertEqual(lines[0], "Axial Displacement [m],Axial Force [N]")
        self.assertAlmostEqual(float(lines[2].split(",")[0]), 1e-5 - 1e-9 * 415.623, delta=1e-15)
        refused = scree("measured", folder / "thousands.csv")
        self.assertExit(2, refused)
        self.assertIn("line 6, column 2: '1.250,6'", refused.err)

    def test_help(self):
        """--help explains the program, and each command with examples, on stdout; --version names the version"""
        whole = scree("--help")
        self.assertExit(0, whole)
        names = [line.split()[0] for line in whole.out.split("Ends with")[0].splitlines() if line.startswith("  ")]
        self.assertEqual(sorted(names), sorted("assets bench check devices executors run coarsen measured template submit jobs log events watch cancel pause resume delete fetch link export render film contact methods verify reference gallery study sessions admin completion manual".split()))
        for name in names:
            one = scree(name, "--help")
            self.assertExit(0, one)
            self.assertTrue(one.out.startswith(f"scree {name}"), one)
            self.assertIn("--json", one.out)
            examples = [line[2:].split("  ")[0].split() for line in re.split("\nExamples?:\n", one.out)[1].splitlines()]
            self.assertTrue(examples)
            for words in examples:  # --help, so that the line is read but not done
                self.assertEqual(words[:2], ["scree", name])
                understood = scree(*(words[1:words.index(">")] if ">" in words else words[1:]), "--help")
                self.assertExit(0, understood)
        self.assertEqual(scree("--version").out, "scree 0.1.0\n")
        self.assertEqual(scree("--version", "--json").json()["version"], "0.1.0")

    def test_bad_usage(self):
        """Bad usage ends with 2, a message on stderr, and with --json the same message on stdout"""
        scene = self.scene()
        for arguments in ([], ["crush"], ["check"], ["check", "a", "b"], ["check", "--colour", scene], ["run", scene], ["run", scene, "-o"],
                          ["run", scene, "-o", self.folder / "x", "--threads", "0"], ["run", scene, "-o", self.folder / "x", "--threads", "2x"],
                          ["check", self.folder / "missing.json"], ["check", self.folder], ["check", "gallery:none"], ["gallery", "none"],
                          ["methods", "none"], ["export", self.folder / "none", "--csv"], ["export", scene], ["export", scene, "--csv"],
                          ["watch", "first"], ["jobs", "--state", "lost"], ["jobs", "--server", "ftp://x"], ["jobs", "--server", "http://"], ["--quiet", "jobs"]):
            with self.subTest(arguments=arguments):
                result = scree(*arguments)
                self.assertExit(2, result)
                self.assertTrue(result.err)
                self.assertEqual(result.out, "")
        self.assertIn("did you mean 'check'?", scree("chekc").err)
        for arguments in (["crush", "--json"], ["--json", "jobs"], ["run", "--json"], ["jobs", "--colour", "--json"]):
            self.assertEqual(scree(*arguments).json()["error"]["exit_code"], 2)
        result = scree("check", "--json", self.folder / "missing.json")
        self.assertEqual(result.json()["error"]["exit_code"], 2)
        self.assertIn("missing.json", result.json()["error"]["message"])

    def test_check(self):
        """check gives the estimate and the effective scene of a scene that can run, from a file, stdin or the gallery"""
        result = scree("check", self.scene(), "--json")
        self.assertExit(0, result)
        self.assertIs(result.json()["valid"], True)
        counts = {count["name"]: count["value"] for count in result.json()["estimate"]["counts"]}
        self.assertEqual(counts["nodes"], result.json()["estimate"]["node_count"])
        self.assertGreater(counts["bonds"], 0)
        self.assertIn("options", result.json()["scene"])
        self.assertEqual(scree("check", "-", "--json", stdin=self.scene().read_text()).json(), result.json())
        self.assertIn("nodes", scree("check", "gallery:hollow-sphere-crush").out)

    def test_bench(self):
        """bench measures a step by threads, says how to share the machine, and refuses what it can't measure"""
        result = scree("bench", "gallery:brick-drop", "--threads", 3, "--seconds", 0.02, "--json").json()
        self.assertEqual([row["threads"] for row in result["rows"] if "ranks" not in row and "device" not in row], [1, 2, 3])  # what else is here is measured, too
        self.assertEqual(result["rows"][0]["speedup"], 1)
        for row in result["rows"]:
            self.assertGreater(row["step_seconds"], 0)
            self.assertAlmostEqual(row["speedup"], result["rows"][0]["step_seconds"] / row["step_seconds"])
        shared = result["many_runs"]
        self.assertLessEqual(shared["threads"] * shared["slots"], max(result["processors"], shared["threads"]))
        self.assertIn("screed --slots", scree("bench", self.scene(), "--threads", 1, "--seconds", 0.02).out)
        self.assertExit(2, scree("bench", "--seconds", 0))
        self.assertIn("can't be shared", scree("bench", "gallery:card-house", "--ranks", 2, "--seconds", 0.02).err)
        self.assertExit(4, scree("bench", "-", stdin="{}"))

    def test_check_lists_all_problems(self):
        """check prints every problem of a bad scene at once with its JSON Pointer, and ends with 4"""
        scene = Lab.small_scene()
        scene["colour"] = "red"
        scene["materials"][0]["density"] = -1
        scene["specimens"][0]["shape"]["inner_radius"] = 2e-3
        scene["time"]["duration"] = "long"
        text = json.dumps(scene)
        result = scree("check", "-", stdin=text)
        self.assertExit(4, result)
        for pointer in ("/colour", "/materials/0/density", "/specimens/0/shape/inner_radius", "/time/duration"):
            self.assertIn(pointer + ":", result.out)
        machine = scree("check", "-", "--json", stdin=text)
        self.assertExit(4, machine)
        self.assertIs(machine.json()["valid"], False)
        self.assertEqual({"pointer", "given", "allowed", "detail"}, set(machine.json()["errors"][0]))

    def test_counts(self):
        """A run takes exactly as many frames as check says, also where the intervals are no whole number of steps; displacements begin at 0"""
        for duration, interval in ((4.3e-6, 4.3e-8), (4.3e-6, 9e-7), (4.01e-6, 4e-6), (4e-6, 4e-8), (4e-6, 2e-8)):
            with self.subTest(duration=duration, interval=interval):
                scene = Lab.small_scene()
                scene["time"]["duration"] = duration
                scene["output"] = {"frame_interval": interval, "sample_interval": interval}
                expected = scree("check", "-", "--json", stdin=json.dumps(scene)).json()["estimate"]["frame_count"]
                out = self.folder / f"{duration}-{interval}"
                self.assertExit(0, scree("run", "-", "-o", out, stdin=json.dumps(scene)))
                self.assertEqual(scree("export", out, "--vtkhdf", "-o", out / "vtk", "--json").json()["frames"], expected)
                names, first = [line.split(",") for line in (out / "curves.csv").read_text().splitlines()[:2]]
                shown = [value for name, value in zip(names, first) if ".displacement" in name]
                self.assertTrue(shown and all(value == "0" for value in shown), shown)

    def test_byte_order_mark(self):
        """A scene file that begins with a byte order mark is read"""
        path = self.folder / "marked.json"
        path.write_bytes(b"\xef\xbb\xbf" + json.dumps(Lab.small_scene()).encode())
        self.assertExit(0, scree("check", path))
        path.write_text(json.dumps(Lab.small_scene()), encoding="utf-16")
        refused = scree("check", path)
        self.assertExit(4, refused)
        self.assertIn("UTF-16", refused.out)

    def test_run(self):
        """run leaves curves, plot, recording and scene, says so, and a second run of a finished folder changes nothing"""
        out = self.folder / "a" / "b"
        result = scree("run", self.scene(), "-o", out)
        self.assertExit(0, result)
        self.assertIn("succeeded", result.out)
        self.assertIn("running", result.err)
        self.assertLessEqual(set(FILES), {p.name for p in out.iterdir()})
        self.assertTrue((out / "curves.csv").read_text().startswith("time [s],"))
        self.assertIn("<svg", (out / "plot.svg").read_text())
        before = {name: (out / name).read_bytes() for name in FILES}
        again = scree("run", self.scene(), "-o", out, "--json", "--quiet")
        self.assertExit(0, again)
        self.assertEqual(again.json()["verdict"], "succeeded")
        self.assertEqual(Path(again.json()["files"]["curves"]), out / "curves.csv")
        self.assertEqual(again.err, "")
        self.assertIn("simulated before", scree("run", self.scene(), "-o", out).out)
        self.assertEqual(before, {name: (out / name).read_bytes() for name in FILES})

    def test_run_without_rig(self):
        """A scene without rig and plots runs to its end, and its kinetic energy is plotted"""
        scene = json.loads(self.scene().read_text())
        scene["rig"] = {"type": "none"}
        scene["specimens"][0]["velocity"] = [1, 0, 0]
        scene["output"].pop("plots", None)
        out = self.folder / "free"
        self.assertExit(0, scree("run", "-", "-o", out, stdin=json.dumps(scene)))
        self.assertIn("Kinetic energy", (out / "plot.svg").read_text())

    def test_run_of_another_scene(self):
        """run refuses a folder that holds another scene's run, and leaves it as it is"""
        out = self.folder / "out"
        self.assertExit(0, scree("run", self.scene(), "-o", out))
        before = (out / "recording.scree").read_bytes()
        result = scree("run", self.scene("other.json", steps=200), "-o", out)
        self.assertExit(2, result)
        self.assertIn("another scene", result.err)
        self.assertEqual((out / "recording.scree").read_bytes(), before)

    def test_timeout(self):
        """run --timeout ends with 6 and a checkpoint that the next call goes on from"""
        out = self.folder / "out"
        for _ in range(2):
            result = scree("run", self.long_scene(), "-o", out, "--timeout", 1 * PATIENCE)
            self.assertExit(6, result)
            self.assertTrue((out / "checkpoint.scree").exists())
        self.assertIn("continuing from a checkpoint", result.err)

    def test_interrupt(self):
        """Ctrl-C in run keeps a checkpoint, says how to go on, and ends with 130"""
        out = self.folder / "out"
        process = begin("run", self.long_scene(), "-o", out)
        end = time.monotonic() + 60 * PATIENCE
        while not ((out / "recording.scree").exists() and (out / "recording.scree").stat().st_size > 20000) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60 * PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("run the same command again", err)
        self.assertTrue((out / "checkpoint.scree").exists())

    def test_export(self):
        """export gives the CSV and SVG that run wrote, other curves, and one VTKHDF file per frame; also from a folder"""
        out = self.folder / "out"
        self.assertExit(0, scree("run", self.scene(frames=5), "-o", out))
        self.assertEqual(scree("export", out / "recording.scree", "--csv").out.encode(), (out / "curves.csv").read_bytes().replace(b"\r\n", b"\n"))
        self.assertExit(0, scree("export", out, "--svg", "-o", self.folder / "p.svg"))
        self.assertEqual((self.folder / "p.svg").read_bytes(), (out / "plot.svg").read_bytes())
        self.assertIn("<svg", scree("export", out, "--svg", "--y", "energy.kinetic").out)
        self.assertIn("<svg", scree("export", out, "--svg", "--y", "energy.kinetic", "--moving-average", 3).out)
        self.assertExit(1, scree("export", out, "--svg", "--y", "no.such.curve"))
        result = scree("export", out, "--vtkhdf", "-o", self.folder / "vtk", "--json")
        self.assertExit(0, result)
        self.assertEqual(result.json()["frames"], 6)
        self.assertEqual(len(list((self.folder / "vtk").glob("*.vtkhdf"))), 6)
        self.assertEqual(scree("export", out, "--csv", "--json").json()["format"], "csv")
        broken = scree("export", out, "--table", "breaks").out.splitlines()
        self.assertEqual(broken[0].split(",")[:5], ["time [s]", "step [1]", "a [1]", "b [1]", "mode"])
        self.assertEqual(len(broken) - 1, float((out / "curves.csv").read_text().splitlines()[-1].split(",")[
            (out / "curves.csv").read_text().splitlines()[0].split(",").index("broken_bonds [1]")]))
        self.assertExit(2, scree("export", out, "--csv", "--table", "breaks"))
        rows = scree("export", out, "--table", "fragments").out.splitlines()
        self.assertEqual(rows[0], "time [s],dust [1],lower_mass [kg],upper_mass [kg],count [1],mass [kg]")
        self.assertEqual(len(json.loads(scree("export", out, "--table", "fragments", "--as", "json").out)["rows"]), len(rows) - 1)
        self.assertEqual(scree("export", out, "--table", "fragments", "--as", "svg").out, (out / "fragments.svg").read_text())
        self.assertExit(2, scree("export", out, "--table", "fragments", "--as", "pdf"))
        self.assertExit(2, scree("export", out, "--csv", "--as", "json"))

    def test_export_surfaces(self):
        """--stl and --ply write one closed surface per fragment: every edge of the STL is shared by two triangles, run through both ways"""
        out = self.folder / "out"
        self.assertExit(0, scree("run", self.scene(frames=5), "-o", out))
        told = scree("export", out, "--stl", "-o", self.folder / "p.stl", "--json")
        self.assertExit(0, told)
        told = told.json()
        solids, edges = 0, {}
        corners = []
        for words in (line.split() for line in (self.folder / "p.stl").read_text().splitlines()):
            if words[0] == "solid":
                solids += 1
            elif words[0] == "vertex":
                corners.append((solids, *words[1:]))
            elif words[0] == "endloop":
                for k in range(3):
                    edge = (corners[-3 + k], corners[-3 + (k + 1) % 3])
                    self.assertNotIn(edge, edges)
                    edges[edge] = True
        self.assertTrue(edges and all((b, a) in edges for a, b in edges))
        self.assertEqual((told["frame"], told["surfaces"], told["triangles"]), (5, solids, len(corners) // 3))
        first = scree("export", out, "--ply", "--frame", 0, "-o", self.folder / "p.ply")
        self.assertExit(0, first)
        self.assertIn("frame 0, ", first.out + first.err)
        ply = (self.folder / "p.ply").read_bytes()
        self.assertTrue(ply.startswith(b"ply\nformat binary_little_endian 1.0\n") and b"property uint piece\n" in ply)
        self.assertExit(2, scree("export", out, "--ply", "--frame", 6, "-o", self.folder / "p.ply"))
        self.assertExit(2, scree("export", out, "--csv", "--frame", 1))
        self.assertExit(2, scree("export", out, "--stl", "--json"))
        self.assertExit(2, scree("export", out, "--stl", "--cell", 1))

    def test_export_obstacles(self):
        """--with-obstacles adds what is closed to the surfaces, under its name; it goes with surfaces only"""
        out = self.folder / "out"
        scene = self.scene(frames=1)
        changed = json.loads(Path(scene).read_text())
        changed["obstacles"] = [{"name": "anvil", "shape": {"type": "box", "size": [1e-3, 1e-3, 1e-3]}, "position": [0, 0, 3e-3]}]
        Path(scene).write_text(json.dumps(changed))
        self.assertExit(0, scree("run", scene, "-o", out))
        told = scree("export", out, "--stl", "--with-obstacles", "-o", self.folder / "p.stl", "--json")
        self.assertExit(0, told)
        self.assertEqual((told.json()["surfaces"], told.json()["obstacles"]), (1, 1))
        self.assertIn("\nsolid obstacles.anvil\n", (self.folder / "p.stl").read_text())
        self.assertEqual(scree("export", out, "--stl", "-o", self.folder / "q.stl", "--json").json()["obstacles"], 0)
        self.assertExit(2, scree("export", out, "--csv", "--with-obstacles"))

    def test_reference(self):
        """methods and gallery list what there is, as text and as JSON"""
        self.assertIn("peridem", scree("methods").out)
        self.assertIn("horizon", scree("methods", "peridem").out)
        self.assertIn("<part>.force_z", scree("methods", "peridem").out)
        self.assertIn("      one of: spring, viscous\n", scree("methods", "peridem").out)
        self.assertEqual(scree("methods", "peridem", "--json").json()["name"], "peridem")
        self.assertIn("properties", json.dumps(scree("methods", "peridem", "--schema").json()))
        scenes = scree("gallery", "--json").json()["scenes"]
        self.assertIn("hollow-sphere-crush", [scene["name"] for scene in scenes])
        for name in {scene["method"]: scene["name"] for scene in reversed(scenes)}.values():  # the first of each
            self.assertEqual(scree("gallery", name).json()["name"], name)
            self.assertExit(0, scree("check", f"gallery:{name}"))

    def test_reference_of_keys(self):
        """reference has every key of every method's JSON Schema with its unit, as text, as a page and by name"""
        def keys(node):
            for name, value in node.get("properties", {}).items():
                if value.get("deprecated"):
                    continue  # only read, from scenes of earlier versions
                yield name, value
                yield from keys(value)
            for part in node.get("oneOf", []):
                yield from keys(part)
            if "items" in node:
                yield from keys(node["items"])

        text, page, document = scree("reference").out, scree("reference", "--html").out, scree("reference", "--json").json()
        told = {(key["name"], key["unit"]) for section in document["sections"] for key in section["keys"]}
        names = {name for name, _ in told}
        methods = [method["name"] for method in scree("methods", "--json").json()]
        self.assertLessEqual({"peridem", "bdem"}, set(methods))
        for method in methods:
            for name, value in keys(scree("methods", method, "--schema").json()):
                if name == "type" or name in methods:
                    continue
                self.assertIn(name, names)
                unit = value.get("x-unit", "")
                if unit not in ("", "1"):
                    self.assertIn((name, unit), told)
                    self.assertIn(f"<td>{unit}</td>", page)
                self.assertIn(f"\n  {name}: ", text)
                self.assertIn(f"<td><code>{name}</code></td>", page)
        for method in methods:
            for curve in scree("methods", method, "--json").json()["curves"]:
                self.assertIn(curve["label"].replace("<", "&lt;").replace(">", "&gt;"), page)
        anchors = re.findall(r'id="([^"]+)"', page)
        self.assertEqual(len(anchors), len(set(anchors)))
        self.assertLessEqual(set(re.findall(r'href="#([^"]+)"', page)), set(anchors))
        self.assertIn("\ntime.stop[], \"type\": \"above\"\n", scree("reference", "time").out)
        self.assertNotIn("density", scree("reference", "time.stop").out)
        self.assertIn("options of bdem", scree("reference", "bdem").out)
        self.assertTrue(scree("reference", "spacing").out.startswith("specimens[] of peridem\n"))
        self.assertIn('"type": "cylinder"', scree("reference", "cylinder").out)
        self.assertExit(2, scree("reference", "nothing"))

    def test_completion(self):
        """bash completes commands, options, states and scenes of the gallery from the printed script"""
        script = self.folder / "scree.bash"
        script.write_text(scree("completion", "bash").out)

        def complete(*words):
            done = subprocess.run(["bash", "-c", f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scree; printf "%s\n" "${{COMPREPLY[@]}}"',
                                   "bash", *words], capture_output=True, text=True, check=True, cwd=self.folder)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()

        self.assertEqual(complete("scree", "re"), ["resume", "render", "reference"])
        self.assertEqual(complete("scree", "submit", "--pri"), ["--priority"])
        self.assertEqual(complete("scree", "jobs", "--state", "suc"), ["succeeded"])
        self.assertEqual(complete("scree", "gallery", "brick"), ["brick-drop"])
        self.assertEqual(complete("scree", "run", "gallery", ":", "brick"), ["brick-drop"])
        self.assertEqual(complete("scree", "methods", "bd"), ["bdem"])
        self.assertEqual(complete("scree", "export", "scree.b"), ["scree.bash"])
        self.assertExit(2, scree("completion", "fish"))
        self.assertTrue(scree("completion", "zsh").out.startswith("#compdef scree\n"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_completion_zsh(self):
        """zsh accepts the script that is printed for it"""
        subprocess.run(["zsh", "-n", "/dev/stdin"], input=scree("completion", "zsh").out, text=True, check=True)

    def test_manual(self):
        """The manual page names every command, option and exit code, and groff has nothing to say against it"""
        page = scree("manual").out
        for line in scree("--help").out.split("Ends with")[0].splitlines():
            if line.startswith("  "):
                self.assertIn(f".SS scree {line.split()[0]}", page)
        for text in ("\\-\\-priority", ".B 7\n", ".B 130\n", "SCREE_SERVER"):
            self.assertIn(text, page)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Kutf8"], input=page, text=True, capture_output=True, check=True)
            self.assertEqual(done.stderr, "")

    def test_doubts_of_a_run(self):
        """A run that went to its end with an unstable step succeeds with doubts: it says so, gives the reasons, and ends with 8"""
        scene = Lab.small_scene(steps=600)
        scene["time"]["time_step"] = 9e-8
        scene["options"] = {"allow_unstable_step": True, "contact_surface": "nodes", "damping_step": "explicit"}
        result = scree("run", "-", "-o", self.folder / "out", stdin=json.dumps(scene))
        self.assertExit(8, result)
        self.assertTrue(result.out.startswith("succeeded, with doubts: "), result)
        self.assertIn("doubt (energy_balance): ", result.out)
        again = scree("run", "-", "-o", self.folder / "out", "--json", stdin=json.dumps(scene))
        self.assertExit(8, again)
        self.assertIn("energy_balance", [doubt["kind"] for doubt in again.json()["doubts"]])
        self.assertEqual(again.json()["verdict"], "succeeded")
        self.assertEqual(scree("run", self.scene(), "-o", self.folder / "sound", "--json").json()["doubts"], [])

    def test_unreachable(self):
        """Commands that need a server end with 3 when none answers"""
        for arguments in (["jobs"], ["submit", self.scene()], ["watch", 1], ["cancel", 1], ["pause", 1], ["resume", 1], ["delete", 1],
                          ["fetch", 1, "-o", self.folder / "f"]):
            with self.subTest(arguments=arguments):
                result = scree(*arguments, "--server", NOWHERE)
                self.assertExit(3, result)
                self.assertIn("screed", result.err)
        self.assertEqual(scree("jobs", "--json", server=NOWHERE).json()["error"]["exit_code"], 3)


class ServerTest(Folder):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab("--slots", 1).start()

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def scree(self, *arguments, **options):
        return scree(*arguments, server=self.lab.url, **options)

    def submit_long(self):
        result = self.scree("submit", self.long_scene())
        self.assertExit(0, result)
        return int(result.out)

    def test_run_is_submit_and_fetch(self):
        """run and submit with fetch leave the same bytes in all files"""
        here, there = self.folder / "here", self.folder / "there"
        self.assertExit(0, scree("run", self.scene(), "-o", here))
        result = self.scree("submit", self.scene(), "--wait", "-o", there)
        self.assertExit(0, result)
        self.assertIn("succeeded", result.out)
        self.assertEqual(sorted(p.name for p in there.iterdir()), FILES)
        for name in FILES:
            self.assertEqual((here / name).read_bytes(), (there / name).read_bytes(), name)

    def test_fetch_continues(self):
        """A partial download of the same recording is continued; one of anything else is replaced"""
        out = self.folder / "out"
        number = self.scree("submit", self.scene(), "--wait", "--json").json()["id"]
        self.assertExit(0, self.scree("fetch", number, "-o", out))
        whole = (out / "recording.scree").read_bytes()
        for part in (whole[:len(whole) // 2], whole, whole + b"more", b"SCREE\x01\0\0" + b"x" * 5000, whole[:9000] + b"y" * 500, b""):
            (out / "recording.scree.part").write_bytes(part)
            result = self.scree("fetch", number, "-o", out, "--json")
            self.assertExit(0, result)
            self.assertEqual((out / "recording.scree").read_bytes(), whole)
            self.assertEqual(sorted(p.name for p in out.iterdir()), FILES)
        self.assertEqual(Path(result.json()["files"]["recording"]), out / "recording.scree")

    def test_fetch_of_nothing(self):
        """fetch of a job that never ran says so and leaves no partial recording"""
        first = self.submit_long()
        number = int(self.scree("submit", self.scene()).out)
        self.assertExit(0, self.scree("cancel", number))
        result = self.scree("fetch", number, "-o", self.folder / "out")
        self.assertNotEqual(result.code, 0, result)
        self.assertTrue(result.err)
        self.assertEqual([path.name for path in (self.folder / "out").iterdir() if "recording" in path.name], [])
        self.scree("cancel", first)
        self.lab.wait(first)

    def test_steering(self):
        """pause, resume, cancel and delete do so; watch ends with 5 for a cancelled job and 6 when its time is up"""
        number = self.submit_long()
        self.lab.wait_until(number, lambda job: job["state"] == "running" and job["progress"])
        self.assertExit(6, self.scree("watch", number, "--timeout", 0.5))
        self.assertExit(0, self.scree("pause", number))
        self.lab.wait_until(number, lambda job: job["state"] == "paused")
        self.assertIn("paused", self.scree("jobs", number).out)
        self.assertExit(0, self.scree("resume", number, "--json"))
        refused = self.scree("delete", number)
        self.assertExit(2, refused)
        self.assertRegex(refused.err, f"^scree: job {number} is ")
        cancelled = self.scree("cancel", number, "--json")
        self.assertExit(0, cancelled)
        self.assertEqual(cancelled.json()["id"], number)
        watched = self.scree("watch", number, "--json")
        self.assertExit(5, watched)
        self.assertEqual(watched.json()["state"], "cancelled")
        self.assertExit(2, self.scree("pause", number))
        self.assertEqual(self.scree("delete", number, "--json").json(), {"deleted": number})
        gone = self.scree("watch", number, "--json")
        self.assertExit(2, gone)
        self.assertEqual(gone.json()["status"], 404)

    def test_steering_several(self):
        """cancel and delete take several jobs: each is asked about, whatever goes wrong with others; --json prints one list"""
        numbers = [self.submit_long() for _ in range(3)]
        self.assertExit(2, self.scree("cancel", *numbers, "x"))
        self.assertEqual({self.lab.job(number)["state"] for number in numbers} & {"cancelled"}, set())
        missing = self.scree("cancel", numbers[0], 999999, numbers[1], numbers[2], "--json")
        self.assertExit(2, missing)
        self.assertEqual([one["id"] for one in missing.json()], [numbers[0], 999999, numbers[1], numbers[2]])
        self.assertEqual(missing.json()[1]["problem"]["status"], 404)
        for number in numbers:
            self.assertEqual(self.lab.wait(number)["state"], "cancelled")
        deleted = self.scree("delete", *numbers)
        self.assertExit(0, deleted)
        self.assertEqual(deleted.out.splitlines(), [f"job {number} was deleted" for number in numbers])

    def test_history(self):
        """log prints what the worker wrote, events what happened to the job, oldest first; hints at other commands keep --server"""
        submitted = scree("submit", self.scene(), "--server", self.lab.url)
        self.assertExit(0, submitted)
        number = int(submitted.out)
        self.assertIn(f"`scree watch {number} --server {self.lab.url}`", submitted.err)
        self.lab.wait(number)
        events = self.scree("events", number, "--json").json()["events"]
        self.assertEqual([event["id"] for event in events], sorted(event["id"] for event in events))
        lines = self.scree("events", number).out.splitlines()
        self.assertEqual(len(lines), len(events))
        self.assertIn(events[0]["text"], lines[0])
        self.assertEqual(self.scree("log", number).out, self.scree("log", number, "--json").json()["log"])
        self.assertExit(2, self.scree("log", 999999))
        self.assertExit(2, self.scree("events", 999999))

    def test_detach(self):
        """Ctrl-C in submit --wait only detaches: it ends with 130 and the job goes on"""
        process = begin("submit", self.long_scene(), "--wait", server=self.lab.url)
        said = iter(process.stderr.readline, "")
        number = int(next(line for line in said if line.startswith("job ")).split()[1])  # warnings may come first
        self.addCleanup(self.scree, "cancel", number)
        self.lab.wait_until(number, lambda job: job["state"] == "running")
        end = time.monotonic() + 60 * PATIENCE
        while not catches(process.pid, signal.SIGINT):  # before that it is ended by the signal
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30 * PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(f"scree watch {number}", err)
        self.assertEqual(self.lab.job(number)["state"], "running")
        self.scree("cancel", number)
        self.lab.wait(number)

    def test_failed_run(self):
        """A run that loses its state ends with 1, the same here and on a server"""
        scene = Lab.small_scene()
        scene["time"]["time_step"] = 5e-7
        scene["time"]["duration"] = 1e-3
        scene["output"] = {}
        scene["options"] = {"allow_unstable_step": True, "breakable": False, "contact_surface": "nodes", "damping_step": "explicit"}
        path = self.folder / "unstable.json"
        path.write_text(json.dumps(scene))
        here = scree("run", path, "-o", self.folder / "here")
        self.assertExit(1, here)
        self.assertIn("the run failed", here.err)
        there = self.scree("submit", path, "-o", self.folder / "there", "--json")
        self.assertExit(1, there)
        self.assertEqual(there.json()["state"], "failed")
        self.assertEqual((self.folder / "here" / "recording.scree").read_bytes(), (self.folder / "there" / "recording.scree").read_bytes())

    def test_jobs(self):
        """jobs lists newest first, by state and in pages; a repeated key gives the first job again"""
        first = self.scree("submit", self.scene(), "--key", "once", "--json").json()["id"]
        self.assertEqual(self.scree("submit", self.scene(), "--key", "once", "--json").json()["id"], first)
        self.lab.wait(first)
        second = self.scree("submit", self.scene(), "--wait", "--json").json()["id"]
        listed = [job["id"] for job in self.scree("jobs", "--state", "succeeded", "--json").json()["jobs"]]
        self.assertEqual(listed[:2], [second, first])
        self.assertIn("succeeded", self.scree("jobs").out)
        page = self.scree("jobs", "--limit", 1, "--json").json()
        self.assertEqual([job["id"] for job in page["jobs"]], [second])
        self.assertEqual(self.scree("jobs", "--before", second, "--limit", 1, "--json").json()["jobs"][0]["id"], first)

    def test_names_and_tags(self):
        """submit gives a job its name and tags; jobs finds it by tags, method and words, and shows them; a bad scene is refused as without"""
        number = self.scree("submit", self.scene(), "--name", "first-notch", "--tag", "study:notch", "--tag", "note:a b,c&d", "--json").json()["id"]
        other = self.scree("submit", self.scene(), "--tag", "study:none", "--user", "Ada & Co", "--wait", "--json").json()["id"]
        job = self.lab.job(number)
        self.assertEqual((job["user"], self.lab.job(other)["user"]), (pwd.getpwuid(os.geteuid()).pw_name, "Ada & Co"))
        self.assertEqual((job["name"], job["tags"]), ("first-notch", {"study": "notch", "note": "a b,c&d"}))
        shown = self.scree("jobs", number).out
        self.assertIn("  tag study: notch\n", shown)
        self.assertIn("  user: Ada & Co\n", self.scree("jobs", other).out)

        def found(*filters):
            return [entry["id"] for entry in self.scree("jobs", *filters, "--json").json()["jobs"]]
        self.assertEqual(found("--tag", "study:notch"), [number])
        self.assertEqual(found("--tag", "study:notch", "--tag", "note:a b,c&d"), [number])
        self.assertEqual(found("--tag", "study:notch", "--tag", "study:none"), [])
        self.assertEqual(found("--search", "first-notch"), [number])
        self.assertEqual(found("--user", "Ada & Co"), [other])
        self.assertEqual(found("--tag", "study:none", "--method", "bdem"), [])
        self.assertLessEqual({number, other}, set(found("--state", "queued,running,succeeded", "--method", "peridem", "--sort", "created")))
        for arguments in (["submit", self.scene(), "--tag", "study"], ["submit", self.scene(), "--tag", ":x"], ["jobs", "--sort", "colour"],
                          ["jobs", "--tag", "x"]):
            self.assertExit(2 if arguments[0] == "submit" else self.scree(*arguments).code, self.scree(*arguments))
            self.assertNotEqual(self.scree(*arguments).code, 0)
        wrong = Lab.small_scene()
        wrong["materials"][0]["density"] = -1
        for text in (json.dumps(wrong), "{"):
            plain = self.scree("submit", "-", "--json", stdin=text)
            tagged = self.scree("submit", "-", "--json", "--tag", "a:b", stdin=text)
            self.assertExit(4, tagged)
            same = {name: tagged.json().get(name) for name in ("instance", "request_id")}
            self.assertEqual(tagged.json(), plain.json() | same)
        self.lab.wait(number)

    def test_same_refusals(self):
        """Bad scenes get the same problems from check, from submit (exit 4) and from the API (422)"""
        def changed(*path, value):
            scene = Lab.small_scene()
            place = scene
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            return scene

        overlapping = changed("specimens", 0, "placement", value={"type": "list", "positions": [[0, 0, 0], [1e-4, 0, 0]]})
        for name, scene in {
            "unknown key": changed("specimens", 0, "colour", value="red"),
            "wrong type": changed("materials", 0, "density", value="heavy"),
            "negative size": changed("specimens", 0, "shape", "radius", value=-1e-3),
            "missing": {"scree": 1, "method": "peridem"},
            "unknown method": changed("method", value="magic"),
            "overlapping": overlapping,
            "too large": changed("specimens", 0, "spacing", value=1e-6),
            "not an object": [1, 2],
        }.items():
            with self.subTest(name):
                text = json.dumps(scene)
                status, _, body = self.lab.request("POST", "/api/v1/jobs", text, {"Content-Type": "application/json"})
                self.assertEqual(status, 422, body)
                errors = json.loads(body)["errors"]
                checked = scree("check", "-", "--json", stdin=text)
                self.assertExit(4, checked)
                self.assertEqual(checked.json()["errors"], errors)
                submitted = self.scree("submit", "-", "--json", stdin=text)
                self.assertExit(4, submitted)
                self.assertEqual(submitted.json()["errors"], errors)
        for text in ("", "{", "nonsense", '{"scree": NaN}', '{"a": 1e999}', "\ufeff{}"):
            with self.subTest(text=text):
                self.assertExit(4, scree("check", "-", "--json", stdin=text))
                self.assertExit(4, self.scree("submit", "-", "--json", stdin=text))

    def test_warnings(self):
        """check, run and submit tell what is unusual about a scene and go on"""
        text = json.dumps({"scree": 1, "name": "unusual", "method": "bdem",
                           "materials": [{"name": "m", "density": 1000, "young_modulus": 1e6}],
                           "specimens": [{"name": "s", "material": "m", "spacing": 0.1, "velocity": [0, 0, 1],
                                          "shape": {"type": "box", "size": [0.4, 0.34641017, 0.32659864]}}],
                           "time": {"duration": 0.01}, "options": {"contact_stiffness_factor": 0.001}})
        checked = scree("check", "-", stdin=text)
        self.assertExit(0, checked)
        self.assertIn("1 warning:\n  /options/contact_stiffness_factor:", checked.out)
        machine = scree("check", "-", "--json", stdin=text).json()["warnings"]
        self.assertEqual([warning["pointer"] for warning in machine], ["/options/contact_stiffness_factor"])
        run = scree("run", "-", "-o", self.folder / "unusual", stdin=text)
        self.assertExit(0, run)
        self.assertIn("contact_stiffness_factor", run.err)
        submitted = self.scree("submit", "-", stdin=text)
        self.assertExit(0, submitted)
        self.assertIn("contact_stiffness_factor", submitted.err)

    def test_same_estimate(self):
        """check gives the same answer here and through the API, and here the parts of the run time besides"""
        text = self.scene().read_text()
        _, _, body = self.lab.request("POST", "/api/v1/scenes/check", text, {"Content-Type": "application/json"})
        own = scree("check", "-", "--json", stdin=text).json()
        self.assertAlmostEqual(sum(cost["seconds"] for cost in own.pop("costs")) / own["estimate"]["run_seconds"], 1, delta=1e-9)
        theirs = json.loads(body)
        for answer in (own, theirs):  # of as many ranks as there are threads: the server's of all jobs, here the machine's
            answer["sharing"] = (answer["sharing"] or {"gains": []})["gains"][:1]
        if not own["sharing"] or not theirs["sharing"]:
            own["sharing"] = theirs["sharing"] = []
        self.assertEqual(own, theirs)


if __name__ == "__main__":
    unittest.main()
