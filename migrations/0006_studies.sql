-- Studies: a base scene, factors, a design, results; their rows, whose runs are ordinary jobs.

CREATE TABLE study (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL,
  title        TEXT    NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('running', 'stopped', 'finished', 'deleting')),
  reason       TEXT    NOT NULL DEFAULT '',              -- why it stopped by itself
  key          TEXT    UNIQUE,                           -- Idempotency-Key, NULL: none was given
  created      INTEGER NOT NULL,
  ended        INTEGER NOT NULL DEFAULT 0,
  version      INTEGER NOT NULL DEFAULT 1,               -- grows with every change of the study or of a row
  rows         INTEGER NOT NULL DEFAULT 0,               -- how many there are
  priority     INTEGER NOT NULL DEFAULT 0,
  record_bytes REAL    NOT NULL DEFAULT 0,               -- that the recordings of its runs are estimated to take
  delete_runs  INTEGER NOT NULL DEFAULT 0 CHECK (delete_runs IN (0, 1)) -- while deleting: the jobs go too
) STRICT;
CREATE INDEX study_state ON study (state, id);

-- Apart from `study`, so that lists do not read documents.
CREATE TABLE study_document (
  study    INTEGER PRIMARY KEY REFERENCES study (id) ON DELETE CASCADE,
  document TEXT    NOT NULL
) STRICT;

-- 'waiting' for its turn; 'running': its job is queued, runs or is paused; 'ended': its job has ended, its results are still to be read.
CREATE TABLE study_row (
  study   INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,                              -- 1, 2, ...
  state   TEXT    NOT NULL CHECK (state IN ('waiting', 'running', 'ended', 'succeeded', 'failed', 'cancelled', 'refused')),
  version INTEGER NOT NULL DEFAULT 1,                    -- of the study when it changed last
  factors TEXT    NOT NULL,                              -- {NAME: value}
  digest  TEXT    NOT NULL DEFAULT '',                   -- SHA-256 of its effective scene; '': not checked yet
  job     INTEGER NOT NULL DEFAULT 0,                    -- 0: none, or it was deleted
  own     INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1)), -- the job was made for this row; else it was there before
  results TEXT    NOT NULL DEFAULT '',                   -- {"values": {..}, "reasons": {..}}
  reason  TEXT    NOT NULL DEFAULT '',                   -- why it failed or was refused
  PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX study_row_state ON study_row (study, state, number);
CREATE INDEX study_row_version ON study_row (study, version, number);
CREATE INDEX study_row_job ON study_row (job) WHERE job > 0;
CREATE INDEX study_row_ended ON study_row (study, number) WHERE state = 'ended';
CREATE INDEX study_row_digest ON study_row (digest, job) WHERE digest <> '' AND job > 0 AND own = 1 AND state = 'succeeded';

-- Rows in each state, kept by the triggers below.
CREATE TABLE study_count (
  study INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
  state TEXT    NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (study, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER study_row_insert AFTER INSERT ON study_row BEGIN
  INSERT INTO study_count (study, state, count) VALUES (new.study, new.state, 1)
    ON CONFLICT (study, state) DO UPDATE SET count = count + 1;
  UPDATE study SET rows = rows + 1 WHERE id = new.study;
END;
CREATE TRIGGER study_row_change AFTER UPDATE OF state, job, results ON study_row BEGIN
  UPDATE study_count SET count = count - 1 WHERE study = old.study AND state = old.state AND new.state <> old.state;
  INSERT INTO study_count (study, state, count) SELECT new.study, new.state, 1 WHERE new.state <> old.state
    ON CONFLICT (study, state) DO UPDATE SET count = count + 1;
  UPDATE study SET version = version + 1 WHERE id = new.study;
  UPDATE study_row SET version = (SELECT version FROM study WHERE id = new.study) WHERE study = new.study AND number = new.number;
END;

-- A job that ends, by whatever cause, tells its rows in the same transaction; one that is deleted leaves them with what they have.
CREATE TRIGGER study_job_ended AFTER UPDATE OF ended ON job WHEN new.ended > 0 AND old.ended = 0 BEGIN
  UPDATE study_row SET state = 'ended' WHERE job = new.id AND job > 0 AND state = 'running';
END;
CREATE TRIGGER study_job_deleted AFTER DELETE ON job BEGIN
  UPDATE study_row SET job = 0, own = 0 WHERE job = old.id AND job > 0;
END;
