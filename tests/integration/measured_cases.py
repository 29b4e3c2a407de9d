"""Cases of test_api.py: measured curves. Mixed into its class, so that what they see counts for the contract."""
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data" / "measured"
JSON = {"Content-Type": "application/json"}
BYTES = {"Content-Type": "application/octet-stream"}


class MeasuredCases:
    def upload(self, data, name="a.csv"):
        status, _, asset = self.ask("POST", f"/api/v1/assets?name={name}", data, BYTES)
        self.assertIn(status, (200, 201))
        return asset["asset"]

    def test_measured_curves(self):
        """a file is shown as a table, its columns are checked, kept, listed, read with their band and removed; the file stays as long as they do"""
        asset = self.upload((DATA / "zwick.csv").read_bytes(), "zwick.csv")
        table = self.ask("GET", f"/api/v1/assets/{asset}/table?rows=2", expect=200)[2]
        self.assertEqual((table["separator"], table["decimal"], table["rows"], table["suggested"]), ("semicolon", "comma", 60, {"x": 2, "y": 3}))
        self.assertEqual((table["columns"][1]["name"], table["columns"][1]["written"], table["columns"][1]["unit"]), ("Standardweg", "mm", "m"))
        self.assertEqual(table["first_rows"][1], [0.1, 1e-5, 415.623])
        other = self.ask("GET", f"/api/v1/assets/{asset}/table?units=,%C2%B5m,kN&separator=semicolon&decimal=comma", expect=200)[2]
        self.assertEqual((other["columns"][1]["factor"], other["first_rows"][1][2]), (1e-6, 415623))
        wanted = {"name": "press", "title": "Press", "specimens": [{"asset": asset}, {"asset": asset, "label": "stiffer", "corrections": {"y_factor": 1.1}}],
                  "x": 2, "y": "Standardkraft"}
        shown = self.ask("POST", "/api/v1/measured/check", wanted, expect=200)[2]
        self.assertEqual([c["label"] for c in shown["curves"]], ["zwick.csv", "stiffer"])
        self.assertAlmostEqual(shown["curves"][1]["y"][1], 1.1 * 415.623)
        made = self.ask("POST", "/api/v1/measured", wanted, expect=201)[2]
        self.assertEqual((made["x"], made["y"]["unit"], len(made["specimens"])), ({"name": "Standardweg", "unit": "m"}, "N", 2))
        self.ask("POST", "/api/v1/measured", wanted, expect=409)
        self.ask("DELETE", f"/api/v1/assets/{asset}", expect=409)
        page = self.ask("GET", "/api/v1/measured?limit=1", expect=200)[2]
        self.assertEqual((page["measured"][0]["id"], page["next_before"]), (made["id"], made["id"]))
        self.ask("GET", f"/api/v1/measured?before={made['id']}", expect=200)
        whole = self.ask("GET", f"/api/v1/measured/{made['id']}?points=60", expect=200)[2]
        self.assertEqual((len(whole["curves"][0]["x"]), len(whole["band"]["x"]), whole["band"]["reached"][0]), (60, 60, 2))
        self.ask("DELETE", f"/api/v1/measured/{made['id']}", expect=204)
        self.ask("DELETE", f"/api/v1/assets/{asset}", expect=204)

    def test_refused_measured_curves(self):
        """what can't be read as curves is refused with every reason and a pointer to each"""
        elsewhere = {"Origin": "http://elsewhere.example"}
        asset, none = self.upload(b"x,y\n1,2\n2,3\n", "bare.csv"), self.upload(b"nothing but words here\n", "words.txt")
        answer = self.ask("POST", "/api/v1/measured", {"name": "a b", "extra": 1, "specimens": [{"asset": "sha256:12", "x": 1.5}]}, expect=422)[2]
        self.assertEqual({e["pointer"] for e in answer["errors"]}, {"/name", "/extra", "/specimens/0/asset", "/specimens/0/x", "/specimens/0/y"})
        wanted = {"name": "bare", "specimens": [{"asset": asset}, {"asset": "sha256:" + "0" * 64}, {"asset": none}], "x": 1, "y": 2}
        answer = self.ask("POST", "/api/v1/measured/check", wanted, expect=422)[2]
        self.assertEqual([e["pointer"] for e in answer["errors"]], ["/specimens/0", "/specimens/1/asset", "/specimens/2"])
        self.assertIn("unit of x is not known", answer["errors"][0]["detail"])
        for path in ("/api/v1/measured", "/api/v1/measured/check"):
            self.ask("POST", path, b"{", JSON, expect=400)
            self.ask("POST", path, b"{}", {"Content-Type": "text/plain"}, expect=415)
            self.ask("POST", path, {}, elsewhere, expect=403)
        self.ask("GET", "/api/v1/measured?limit=0", expect=400)
        self.ask("GET", "/api/v1/measured/999999", expect=404)
        self.ask("DELETE", "/api/v1/measured/999999", expect=404)
        self.ask("DELETE", "/api/v1/measured/999999", headers=elsewhere, expect=403)
        self.ask("GET", "/api/v1/measured/1?points=1", expect=400)
        self.ask("GET", f"/api/v1/assets/{none}/table", expect=422)
        self.ask("GET", f"/api/v1/assets/{none}/table?rows=101", expect=400)
        self.ask("GET", f"/api/v1/assets/{'0' * 64}/table", expect=404)
        large = self.upload(b"1;2\n" * (4 << 20) + b"1;2\n", "large.csv")
        self.ask("GET", f"/api/v1/assets/{large}/table", expect=413)
        for digest in (asset, none, large):
            self.ask("DELETE", f"/api/v1/assets/{digest}", expect=204)
