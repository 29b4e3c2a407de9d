"""A client that a public generator (@hey-api/openapi-ts from npm) makes from api/openapi.yaml talks to a live screed: the document is not only
valid, it says what is true, in a form that strangers' tools understand."""
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from lab import PATIENCE, ROOT, Lab

TOOLS = ROOT / "tests" / "openapi"
ESBUILD = ROOT / "web" / "node_modules" / "esbuild" / "bin" / "esbuild"
# The client's own parts, and the piece that makes one for an address.
ENTRY = 'export * from "./generated/sdk.gen"; export { createClient } from "@hey-api/client-fetch";\n'


def command(*arguments, cwd=TOOLS):
    done = subprocess.run([str(a) for a in arguments], cwd=cwd, capture_output=True, text=True, timeout=120 * PATIENCE)
    if done.returncode != 0:
        raise AssertionError(f"{arguments[0]} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class GeneratedClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Beside node_modules, where the generated code looks for its runtime.
        cls.folder = Path(tempfile.mkdtemp(prefix="client-", dir=TOOLS))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        command("node", TOOLS / "node_modules/@hey-api/openapi-ts/bin/index.cjs", "-i", ROOT / "api/openapi.yaml", "-o", cls.folder / "generated", "-c",
                "@hey-api/client-fetch")
        (cls.folder / "entry.ts").write_text(ENTRY)

    def test_it_compiles_under_strict_types(self):
        """A generated client compiles under strict TypeScript"""
        command("node", TOOLS / "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext",
                "--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable", self.folder / "entry.ts")

    def test_it_runs_a_scene_from_check_to_deletion(self):
        """A generated client checks, submits, follows, reads and deletes a job on a live server"""
        command(ESBUILD, self.folder / "entry.ts", "--bundle", "--platform=node", "--format=esm", f"--outfile={self.folder / 'client.mjs'}")
        with Lab() as lab:
            said = json.loads(command("node", TOOLS / "client.mjs", self.folder / "client.mjs", f"http://127.0.0.1:{lab.port}", lab.token,
                                      json.dumps(lab.small_scene())))
        self.assertEqual(said["status"], "ok")
        self.assertGreaterEqual(said["gallery"], 19)
        self.assertIn("peridem", said["methods"])
        self.assertGreater(said["time_step"], 0)
        self.assertEqual(said["refused"], {"status": 422, "pointer": "/method"})
        self.assertEqual(said["state"], "succeeded")
        self.assertTrue(said["listed"])
        self.assertGreater(said["series"], 10)
        self.assertGreater(said["frames"], 1)
        self.assertEqual(said["deleted"], 204)
        self.assertEqual(said["gone"], 404)


if __name__ == "__main__":
    unittest.main()
