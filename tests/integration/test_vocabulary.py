"""No word of one method above core/methods: what it is made of and what happens to it is declared by the method, and everybody else shows what was declared.

Looked through are the run, the recording, the server, the service and the dashboard; not the gallery, the clients and the documents, which are about
methods, and not the READMEs. ACCEPTED lists the lines that may have such a word all the same, each with the reason.
"""
import re
import subprocess
import unittest

from lab import ROOT

WORDS = re.compile(r"bond|fragment|damage|sphere", re.IGNORECASE)
PLACES = ["server", "api", "web/src", "core/run", "core/record", ":!api/gallery", ":!api/studies", ":!api/clients", ":!api/docs", ":!*.md"]

# (files, what is taken out of a line before it is looked at, why)
ACCEPTED = [
    (r".*", r"\w*[Dd]amaged\w*|SCR_DAMAGED|PROBLEM_DAMAGED|READERS_DAMAGED", "files and records that are damaged"),
    (r"(?:server|api)/.*|core/record/file/(?:integrity|recording)\.c|web/src/(?:service/api|pages/\w+|english/pages)\.ts|web/src/style/job\.css", r"[\w-]*[Dd]amage\w*",
     "what is missing in a recording"),
    (r".*", r"hollow-sphere-crush", "the name of the gallery's first scene, in examples"),
    (r"api/stream/stream\.c", r"lws_is_(?:first|final)_fragment", "libwebsockets' names"),
    (r"web/src/view/.*", r"fragmentShader|HemisphereLight", "three.js's names"),
    (r"web/src/compose/handles/handle_list\.ts", r"(?:hollow_)?sphere: \[", "shapes of the scene, which are of no method alone"),
    (r"core/record/(?:table/old_breaks\.[ch]|headlines\.c)", r"[Bb]roken[ _]bonds?", "old recordings"),
    (r"core/record/topology\.c|web/src/recording/topology\.ts", r'"fragment"', "old recordings"),
]


def strange(path, text):
    """Whether a line of a file has a word that nothing accepts."""
    for files, words, _ in ACCEPTED:
        if re.fullmatch(files, path):
            text = re.sub(words, "", text)
    return WORDS.search(text) is not None


class VocabularyTest(unittest.TestCase):
    def test_vocabulary(self):
        """server, service, dashboard, run and recording know no word of one method"""
        found = subprocess.run(["git", "grep", "-niE", WORDS.pattern, "--", *PLACES], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, found.stderr)
        lines = [line.split(":", 2) for line in found.stdout.splitlines()]
        self.assertGreater(len(lines), 10)  # the search itself finds what is accepted
        self.assertEqual([f"{path}:{number}: {text.strip()}" for path, number, text in lines if strange(path, text)], [])

    def test_what_is_strange(self):
        """words of methods are strange where they have no business, and the same letters elsewhere are not"""
        for path, text in (("core/run/run.c", "double damage;"), ("server/lab/lab.h", "double broken_bonds;"), ("web/src/pages/jobs.ts", "fragments"),
                           ("core/record/table/table.c", "broken bonds"), ("api/http/router.c", "/fragments?after")):
            self.assertTrue(strange(path, text), (path, text))
        for path, text in (("core/run/checkpoint.c", "one that is damaged"), ("server/lab/lab.h", "lab_damage damage;"), ("api/stream/stream.c", "lws_is_first_fragment(v->wsi)"),
                           ("core/record/table/old_breaks.c", "Broken bonds")):
            self.assertFalse(strange(path, text), (path, text))


if __name__ == "__main__":
    unittest.main()
