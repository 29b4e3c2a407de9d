"""The source keeps to the rules of its structure: core/WORDS.md, folders, circles of calls, lines, subjects (deploy/structure.py)."""
import importlib.util
import subprocess
import sys
import unittest

from lab import ROOT


def load():
    spec = importlib.util.spec_from_file_location("structure", ROOT / "deploy" / "structure.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class StructureTest(unittest.TestCase):
    def test_the_source_keeps_its_structure(self):
        """no long line, crowded folder, circle of calls, word that the dictionary replaces or subject that names nothing"""
        done = subprocess.run([sys.executable, str(ROOT / "deploy" / "structure.py")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def test_circles_are_found(self):
        """calls that come back are one circle, calls that only go down are none"""
        structure = load()
        self.assertEqual(structure.components({"a": {"b"}, "b": {"c"}, "c": set()}), [])
        self.assertEqual(structure.components({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}), [["a", "b", "c"]])

    def test_code_is_told_from_words(self):
        """comments and texts are no code; a definition is one, a call and a declaration are none"""
        structure = load()
        self.assertEqual(structure.code_words('int way; /* room */ f("price"); // guest'), {"int", "way", "f"})
        text = "static int hidden(void)\n{\n}\n\nscr_vec3 shown(const int *a,\n               int b)\n{\n  return called(a);\n}\n\nint only_declared(void);\n"
        self.assertEqual([found[1] for found in structure.DEFINITION.finditer(text)], ["shown"])

    def test_arguments_are_counted(self):
        """arguments of declarations and definitions are counted; those of pointers to functions are the pointers' own"""
        structure = load()
        text = "static int f(int a, void (*g)(int, int), int b[2][3])\n{\n  return h(a, b);\n}\nint h(int a, int b);\n"
        self.assertEqual([(found[1], structure.argument_count(found[2])) for found in structure.FUNCTION.finditer(text)], [("f", 3), ("h", 2)])

    def test_steps_are_walked(self):
        """a walk follows all functions that are named, also those of a file alone, and enters no file whose functions are not"""
        structure = load()
        texts = {"method": "static int step(scr_sim *sim)\n{\n  return go(sim->state, 1) + small(2);\n}\n",
                 "go": "static int own(x_state *s)\n{\n  return far(s);\n}\n\nint go(x_state *s, int n)\n{\n  return own(s);\n}\n",
                 "far": "int far(const x_state *s)\n{\n  return 0;\n}\n", "small": "int small(int n)\n{\n  return n;\n}\n",
                 "beside": "int beside(scr_sim *sim)\n{\n  return 0;\n}\n"}
        self.assertEqual(structure.walk(texts, "step"), {"method", "go", "far", "small"})

    def test_sums_over_threads_are_found(self):
        """a reduction of doubles and an atomic update of one are found; of flags and counts, largest values and atomic writes are not"""
        structure = load()
        planted = "double energy = 0, most = 0;\nint torn = 0;\n#pragma omp parallel for reduction(+ : torn, energy)\nfor (;;)\n"
        self.assertEqual(list(structure.shared_sums(planted)), [(3, "energy")])
        self.assertEqual(list(structure.shared_sums(planted.replace("+ : torn, energy", "max : most) reduction(+ : torn"))), [])
        broken = planted.replace("for reduction", "for schedule(static) \\\n    reduction")
        self.assertEqual(list(structure.shared_sums(broken)), [(3, "energy")])
        self.assertEqual([name for _, name in structure.shared_sums("double *f;\n#pragma omp atomic\nf[i] += 1.0;\n")], ["f"])
        self.assertEqual([name for _, name in structure.shared_sums("#pragma omp atomic\ns->force[a[i]].x += f;\n")], ["x"])
        self.assertEqual(list(structure.shared_sums("size_t count;\n#pragma omp atomic\ncount++;\n#pragma omp atomic write\nf[i] = 1;\n")), [])

    def test_sums_by_hand_are_found(self):
        """a sum of what blocks have stored beside a loop by OpenMP is found; counts are not, nor sums of vectors, nor files without such loops"""
        structure = load()
        loop, by_hand = "#pragma omp parallel for\nfor (;;) block[b] += f(b);\n", "for (size_t b = 0; b < BLOCKS; b++)\n  s->heat += s->block[b].heat;\n"
        self.assertEqual(list(structure.stored_sums(loop + by_hand)), [(4, "heat")])
        self.assertEqual(list(structure.stored_sums("size_t heat;\n" + loop + by_hand)), [])
        self.assertEqual(list(structure.stored_sums(loop + "for (int k = 0; k < 3; k++) sum[k] += value[k];\n")), [])
        self.assertEqual(list(structure.stored_sums(by_hand)), [])

    def test_the_dictionary_has_words(self):
        """each word that names must not have says what to use instead"""
        words = load().dictionary()
        self.assertGreater(len(words), 20)
        self.assertEqual(words["ease"], "inverse mass, inverse inertia")


if __name__ == "__main__":
    unittest.main()
