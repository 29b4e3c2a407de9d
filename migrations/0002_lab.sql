-- What a laboratory needs beside jobs that run: doubts, tags, notes, search, events, waiting, kept counts, people.

-- What its worker said of a run that ended but can't be fully trusted: a JSON array of {"kind", "message"}.
ALTER TABLE job ADD COLUMN doubts TEXT NOT NULL DEFAULT '[]';
-- A JSON object of texts; `job_tag` holds the same for looking up.
ALTER TABLE job ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
ALTER TABLE job ADD COLUMN notes TEXT NOT NULL DEFAULT '';
-- What a queued job waits for besides its turn: '' nothing, 'disk' room on the disk.
ALTER TABLE job ADD COLUMN waiting TEXT NOT NULL DEFAULT '' CHECK (waiting IN ('', 'disk'));
-- Threads asked for, 0: the lab's share.
ALTER TABLE job ADD COLUMN threads INTEGER NOT NULL DEFAULT 0 CHECK (threads >= 0);
-- Bytes that its directory is expected to take in all.
ALTER TABLE job ADD COLUMN need_bytes REAL NOT NULL DEFAULT 0;
-- Records of a finished recording, and their digest as text; 0 and '' when not known.
ALTER TABLE job ADD COLUMN record_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN record_digest TEXT NOT NULL DEFAULT '';
-- Who submitted it; NULL: from before there were people.
ALTER TABLE job ADD COLUMN owner INTEGER REFERENCES person (id);

UPDATE job SET need_bytes = ifnull(record_bytes, 0);

-- The claim takes the first row of this index; jobs that may not run yet are not in it.
DROP INDEX job_queue;
CREATE INDEX job_ready ON job (priority DESC, id) WHERE state = 'queued' AND run_after = 0 AND waiting = '';
CREATE INDEX job_delayed ON job (run_after) WHERE state = 'queued' AND run_after > 0;
CREATE INDEX job_waiting ON job (waiting, need_bytes) WHERE waiting <> '';
-- Lists: each order and each filter has its own.
CREATE INDEX job_method ON job (method, id);
CREATE INDEX job_method_state ON job (method, state, id);
CREATE INDEX job_name ON job (name, id);
CREATE INDEX job_priority ON job (priority, id);
CREATE INDEX job_ended ON job (ended, id);

-- How many jobs are in each state, kept by the triggers below.
CREATE TABLE job_count (
  state TEXT    PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO job_count (state, count) VALUES ('queued', 0), ('running', 0), ('paused', 0), ('succeeded', 0), ('failed', 0), ('cancelled', 0);
UPDATE job_count SET count = (SELECT count(*) FROM job WHERE job.state = job_count.state);
CREATE TRIGGER job_count_insert AFTER INSERT ON job BEGIN
  UPDATE job_count SET count = count + 1 WHERE state = new.state;
END;
CREATE TRIGGER job_count_delete AFTER DELETE ON job BEGIN
  UPDATE job_count SET count = count - 1 WHERE state = old.state;
END;
CREATE TRIGGER job_count_update AFTER UPDATE OF state ON job WHEN new.state <> old.state BEGIN
  UPDATE job_count SET count = count - 1 WHERE state = old.state;
  UPDATE job_count SET count = count + 1 WHERE state = new.state;
END;

CREATE TABLE job_tag (
  key   TEXT    NOT NULL,
  value TEXT    NOT NULL,
  job   INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  PRIMARY KEY (key, value, job)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_tag_job ON job_tag (job);

-- Words of names, titles and notes, and their beginnings, so that a search need not gather all jobs with a common one first. The store keeps it in step with `job` (SQLite does not trust such a table to a trigger).
CREATE VIRTUAL TABLE job_text USING fts5 (name, title, notes, content = 'job', content_rowid = 'id',
                                          tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3 4 5 6 7 8');
INSERT INTO job_text (job_text) VALUES ('rebuild');

-- What happened, a line each.
CREATE TABLE event (
  id   INTEGER PRIMARY KEY AUTOINCREMENT,
  job  INTEGER NOT NULL,                                -- the events of a deleted job go with it, but for the deletion
  time INTEGER NOT NULL,
  type TEXT    NOT NULL,
  text TEXT    NOT NULL
) STRICT;
CREATE INDEX event_job ON event (job, id);

-- Submissions outlive their job when they came with an Idempotency-Key, so that a late retry does not run it again.
CREATE TABLE submission_kept (
  job       INTEGER PRIMARY KEY,
  key       TEXT    UNIQUE,                             -- NULL: none was given
  scene     TEXT    NOT NULL,                           -- the request as it was sent
  effective TEXT    NOT NULL DEFAULT '',                -- the scene with all defaults; '': it is in the job's directory
  deleted   INTEGER NOT NULL DEFAULT 0                  -- when its job was deleted, 0: it is there
) STRICT;
INSERT INTO submission_kept (job, key, scene) SELECT job, key, scene FROM submission;
DROP TABLE submission;
ALTER TABLE submission_kept RENAME TO submission;
CREATE INDEX submission_deleted ON submission (deleted) WHERE deleted > 0;

ALTER TABLE attempt ADD COLUMN peak_memory INTEGER NOT NULL DEFAULT 0;  -- bytes
ALTER TABLE attempt ADD COLUMN cpu_seconds REAL    NOT NULL DEFAULT 0;

-- People, and the secrets they show. A token is kept as its digest and found by its public beginning.
CREATE TABLE person (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  name     TEXT    NOT NULL UNIQUE,
  role     TEXT    NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member', 'viewer')),
  quota    TEXT    NOT NULL DEFAULT '{}',
  created  INTEGER NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE token (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  person    INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  prefix    TEXT    NOT NULL UNIQUE,
  digest    BLOB    NOT NULL,
  label     TEXT    NOT NULL DEFAULT '',
  scopes    TEXT    NOT NULL DEFAULT '[]',
  created   INTEGER NOT NULL,
  expires   INTEGER NOT NULL DEFAULT 0,                 -- 0: never
  last_used INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX token_person ON token (person);
