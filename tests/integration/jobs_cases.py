"""Cases of test_api.py: what is written on jobs, how they are found again, and what is told of their past. Mixed into its class, so that what
they see counts for the contract."""
import urllib.parse

from lab import Lab


class JobCases:
    def submit(self, **about):
        scene = about.pop("scene", None) or Lab.small_scene(steps=20, frames=2)
        return self.ask("POST", "/api/v1/jobs", {"scene": scene, **about}, expect=201)[2]

    def find(self, **query):
        return self.ask("GET", "/api/v1/jobs?" + urllib.parse.urlencode(query, doseq=True), expect=200)[2]

    def test_submission_around_a_scene(self):
        """a submission names a job, tags it, gives it a priority and threads, and a bare scene goes on working"""
        job = self.submit(name="Trial 7 – soft", tags={"study": "a/b", "batch": "7"}, priority=5, threads=1)
        self.assertEqual((job["name"], job["tags"], job["priority"], job["threads"]), ("Trial 7 – soft", {"study": "a/b", "batch": "7"}, 5, 1))
        self.assertEqual((job["notes"], job["doubts"], job["waiting"], job["title"]), ("", [], None, "A small test"))
        bare = self.ask("POST", "/api/v1/jobs?priority=-3", Lab.small_scene(steps=20, frames=2), expect=201)[2]
        self.assertEqual((bare["name"], bare["tags"], bare["priority"], bare["threads"]), ("small", {}, -3, 0))
        self.assertEqual(self.ask("GET", f"/api/v1/jobs/{job['id']}/scene", expect=200)[2]["name"], "small")
        for number in (job["id"], bare["id"]):
            self.assertEqual(self.lab.wait(number)["state"], "succeeded")

    def test_refused_submissions(self):
        """everything that is wrong with a submission is told at once, and of its scene by its place in the body"""
        problem = self.ask("POST", "/api/v1/jobs", {"scene": Lab.small_scene(), "name": 3, "priority": 101, "colour": "red"}, expect=400)[2]
        self.assertEqual([e["pointer"] for e in problem["errors"]], ["/name", "/priority", "/colour"])
        problem = self.ask("POST", "/api/v1/jobs", {"scene": Lab.small_scene(), "name": "a/b", "tags": {"": "x", "k": 3}, "threads": 1000},
                           expect=400)[2]
        self.assertEqual([e["pointer"] for e in problem["errors"]], ["/name", "/tags/", "/tags/k", "/threads"])
        scene = Lab.small_scene()
        scene["materials"][0]["density"] = -1
        problem = self.ask("POST", "/api/v1/jobs", {"scene": scene}, expect=422)[2]
        self.assertEqual([e["pointer"] for e in problem["errors"]], ["/scene/materials/0/density"])

    def test_users(self):
        """who submits is kept with a job and with a study's runs, found exactly, and bounded; nobody is somebody else by a part of the name"""
        named = self.submit(user="Ada Löwe", tags={"who": "t"})
        asked = self.ask("POST", "/api/v1/jobs?user=ada%26x&priority=1", Lab.small_scene(steps=20, frames=2), expect=201)[2]
        both = self.ask("POST", "/api/v1/jobs?user=outside", {"scene": Lab.small_scene(steps=20, frames=2), "user": "inside"}, expect=201)[2]
        nobody = self.ask("POST", "/api/v1/jobs?user=", Lab.small_scene(steps=20, frames=2), expect=201)[2]
        self.assertEqual([job["user"] for job in (named, asked, both, nobody)], ["Ada Löwe", "ada&x", "inside", ""])
        for user, found in (("Ada Löwe", [named]), ("ada&x", [asked]), ("Ada", []), ("ada löwe", []), ("' OR 1=1 --", [])):
            self.assertEqual([j["id"] for j in self.find(user=user)["jobs"]], [j["id"] for j in found], user)
        for more in ({"tag": "who:t"}, {"q": "small"}, {"sort": "name"}, {"method": "peridem", "state": "queued,running,succeeded"}):
            self.assertEqual([j["id"] for j in self.find(user="Ada Löwe", **more)["jobs"]], [named["id"]], more)
        self.assertEqual(self.find(user="Ada Löwe", tag="who:other")["jobs"], [])
        longest = "é" * 64
        self.assertEqual(self.submit(user=longest)["user"], longest)
        for user in ("", " ", longest + "x", "a\nb", "a\u0085b", 5, None):
            problem = self.ask("POST", "/api/v1/jobs", {"scene": Lab.small_scene(), "user": user}, expect=400)[2]
            self.assertEqual([e["pointer"] for e in problem["errors"]], ["/user"], user)
        self.ask("GET", "/api/v1/jobs?user=", expect=400)
        self.ask("GET", "/api/v1/jobs?user=" + 300 * "x", expect=400)

    def test_change(self):
        """name, tags, notes and priority of an ended job change, alone and together; nothing else does, and a refused change changes nothing"""
        number = self.submit(name="before", tags={"a": "1"})["id"]
        self.lab.wait(number)
        path = f"/api/v1/jobs/{number}"
        job = self.ask("PATCH", path, {"notes": "Cracked at 3 mm.\nSee page 4."}, expect=200)[2]
        self.assertEqual((job["notes"], job["name"], job["tags"]), ("Cracked at 3 mm.\nSee page 4.", "before", {"a": "1"}))
        job = self.ask("PATCH", path, {"name": "after", "tags": {"b": "2"}, "priority": 9}, expect=200)[2]
        self.assertEqual((job["name"], job["tags"], job["priority"], job["notes"][:7]), ("after", {"b": "2"}, 9, "Cracked"))
        self.assertEqual(self.ask("PATCH", path, {}, expect=200)[2]["name"], "after")
        for change in ({"state": "queued"}, {"name": ""}, {"name": "x\u0007"}, {"notes": "n" * 2048}, {"tags": {str(k): "" for k in range(17)}},
                       {"tags": []}, {"priority": 1.5}, {"priority": 10**12}, [], {"name": "fine", "notes": 4}):
            self.ask("PATCH", path, change, expect=400)
        self.assertEqual(self.ask("GET", path, expect=200)[2], job | {"progress": job["progress"]})
        self.ask("PATCH", path, b"{", headers={"Content-Type": "application/json"}, expect=400)
        self.ask("PATCH", path, b"{}", headers={"Content-Type": "text/plain"}, expect=415)
        self.ask("PATCH", path, {}, headers={"Origin": "http://elsewhere.example"}, expect=403)
        self.ask("PATCH", "/api/v1/jobs/999999", {"name": "x"}, expect=404)
        self.assertEqual([j["id"] for j in self.find(tag="b:2")["jobs"]], [number])
        self.assertEqual(self.find(tag="a:1", q="after")["jobs"], [])
        self.assertEqual([j["id"] for j in self.find(q="crack page")["jobs"]], [number])

    def test_search(self):
        """jobs are found by tags, words, method and states together, in every order, and pages by cursor miss none and repeat none"""
        ids = [self.submit(name=f"search {'xyz'[k % 3]}", tags={"search": "yes", "k": str(k % 2)}, priority=k % 4)["id"] for k in range(7)]
        for number in ids:
            self.lab.wait(number)
        every = [j["id"] for j in self.find(tag="search:yes")["jobs"]]
        self.assertEqual(every, ids[::-1])
        self.assertEqual([j["id"] for j in self.find(tag=["search:yes", "k:1"])["jobs"]], ids[5::-2])
        self.assertEqual([j["id"] for j in self.find(q="sear x")["jobs"]], [ids[6], ids[3], ids[0]])
        self.assertEqual(self.find(q="sear", tag="search:yes", method="bdem")["jobs"], [])
        self.assertEqual([j["id"] for j in self.find(q="SEARCH", method="peridem", state="failed,succeeded")["jobs"]], ids[::-1])
        self.assertEqual(self.find(q="search", state="failed,queued")["jobs"], [])
        keys = {"created": lambda k: (ids[k],), "name": lambda k: (k % 3, ids[k]), "priority": lambda k: (k % 4, ids[k])}
        for sort, key in keys.items():
            for down in (False, True):
                expected = [ids[k] for k in sorted(range(7), key=key, reverse=down)]
                for filters in ({"tag": "search:yes"}, {"q": "search"}):
                    got, cursor = [], None
                    while cursor is not False:
                        page = self.find(sort="-" * down + sort, limit=2, **filters, **({"cursor": cursor} if cursor else {}))
                        got += [j["id"] for j in page["jobs"]]
                        cursor = page["next"] or False
                    self.assertEqual(got, expected, (sort, down, filters))
        ended = [j["ended"] for j in self.find(sort="-ended", tag="search:yes")["jobs"]]
        self.assertEqual(ended, sorted(ended, reverse=True))
        page = self.find(limit=1)
        self.assertEqual(self.find(limit=1, before=page["next_before"])["jobs"], self.find(limit=1, cursor=page["next"])["jobs"])

    def test_search_refusals(self):
        """parameters of a list that are not understood are refused, all at once, and so are cursors of another list"""
        problem = self.ask("GET", "/api/v1/jobs?state=done&sort=size&tag=x&limit=0", expect=400)[2]
        self.assertEqual(sorted(e["pointer"] for e in problem["errors"]), ["limit", "sort", "state", "tag"])
        cursor = self.find(limit=1)["next"]
        for query in (f"sort=name&cursor={cursor}", "cursor=x", "cursor=cd.1", "cursor=cd.1.2x", "before=3&sort=name", "q=" + "w" * 201):
            self.ask("GET", "/api/v1/jobs?" + query, expect=400)
        for words in ('"', "-", 'a" OR "b', "NEAR(a b)", "* ^", "name:x", "\u00e9\u00e8", "a'b--"):
            self.find(q=words)

    def test_history(self):
        """attempts, events and the worker's log of a job tell its past, and of all jobs in order"""
        number = self.submit(name="history", scene=Lab.small_scene(frames=2))["id"]
        self.lab.wait(number)
        path = f"/api/v1/jobs/{number}"
        self.ask("PATCH", path, {"notes": "n"}, expect=200)
        attempts = self.ask("GET", path + "/attempts", expect=200)[2]["attempts"]
        self.assertEqual([(a["number"], a["outcome"], a["error"]) for a in attempts], [(1, "succeeded", None)])
        self.assertGreater(attempts[0]["peak_memory_bytes"], 1e6)
        self.assertGreaterEqual(attempts[0]["cpu_seconds"], 0)
        events = self.ask("GET", path + "/events", expect=200)[2]["events"]
        self.assertEqual([e["type"] for e in events], ["submitted", "started", "succeeded", "change"])
        self.assertEqual([e["text"] for e in events][3], "notes")
        page = self.ask("GET", path + f"/events?after={events[0]['id']}&limit=2", expect=200)[2]
        self.assertEqual((page["events"], page["next_after"]), (events[1:3], events[2]["id"]))
        everything = self.ask("GET", f"/api/v1/events?after={events[0]['id'] - 1}", expect=200)[2]["events"]
        self.assertEqual([e for e in everything if e["job"] == number], events)
        self.assertIn(b"ended: ok", self.ask("GET", path + "/log", expect=200)[2])
        for route in ("attempts", "events", "log"):
            self.ask("GET", f"/api/v1/jobs/999999/{route}", expect=404)
        for route in (path + "/events", "/api/v1/events"):
            self.ask("GET", route + "?after=x", expect=400)
        self.ask("DELETE", path, expect=204)
        left = self.ask("GET", f"/api/v1/events?after={events[0]['id'] - 1}", expect=200)[2]["events"]
        self.assertEqual([(e["type"], e["text"]) for e in left if e["job"] == number], [("delete", "history")])

    def test_key_of_a_deleted_job(self):
        """the key of a deleted job is kept: a retry that comes late is told so instead of running the job again"""
        body, headers = {"scene": Lab.small_scene(steps=20, frames=2)}, {"Idempotency-Key": "deleted"}
        number = self.ask("POST", "/api/v1/jobs", body, headers, expect=201)[2]["id"]
        self.lab.wait(number)
        self.ask("DELETE", f"/api/v1/jobs/{number}", expect=204)
        self.assertEqual(self.ask("POST", "/api/v1/jobs", body, headers, expect=410)[2]["type"], "/problems/gone")
        self.ask("POST", "/api/v1/jobs", {"scene": Lab.small_scene(steps=21, frames=2)}, headers, expect=422)

    def test_full_queue(self):
        """a full queue is 429 with the time to wait, and has room again when a job has left it"""
        with Lab("--queue", 1, "--slots", 1) as lab:
            running = lab.submit(Lab.long_scene())["id"]
            lab.wait_until(running, lambda job: job["state"] == "running")
            waiting = lab.submit(Lab.long_scene())["id"]
            _, headers, problem = self.ask("POST", "/api/v1/jobs", Lab.long_scene(), lab=lab, expect=429)
            self.assertEqual((problem["type"], headers["retry-after"]), ("/problems/queue-full", "5"))
            self.ask("POST", f"/api/v1/jobs/{waiting}/cancel", lab=lab, expect=202)
            self.ask("POST", "/api/v1/jobs", Lab.long_scene(), lab=lab, expect=201)

    def test_threads_and_memory_admit(self):
        """jobs start as threads and estimated memory allow, in order, and one too large for both runs alone"""
        scene = Lab.long_scene()
        need = self.ask("POST", "/api/v1/scenes/check", scene, expect=200)[2]["estimate"]["memory_bytes"]
        for options in (("--total-threads", 3), ("--total-memory", int(2.5 * need) + 1), ("--total-memory", 1)):
            with Lab("--slots", 4, "--threads", 1, "--lease-seconds", 3600, *options) as lab:
                ids = [lab.json("POST", "/api/v1/jobs", {"scene": scene, "threads": 2 if k == 1 else 1}, expect=201)["id"] for k in range(4)]
                allowed = 1 if options[1] == 1 else 2
                for number in ids[:allowed]:
                    lab.wait_until(number, lambda job: job["state"] == "running")
                lab.hold_workers()
                self.assertEqual([lab.job(n)["state"] for n in ids], ["running"] * allowed + ["queued"] * (4 - allowed))
                lab.let_workers_go_on()
                lab.request("POST", f"/api/v1/jobs/{ids[0]}/cancel")
                lab.wait_until(ids[allowed], lambda job: job["state"] == "running")
                self.assertLessEqual(sum(lab.job(n)["state"] == "running" for n in ids), 2)
