-- Jobs, their attempts and the idempotency keys they were submitted with. Times are milliseconds since 1970 UTC, from the program's clock.
-- STRICT: a value of the wrong type is refused by the store, not stored and found later.

CREATE TABLE job (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: an id is never given twice, not even after a deletion
  name             TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  method           TEXT    NOT NULL,
  scene            TEXT    NOT NULL,                    -- as submitted; the effective scene lies in the job's directory
  priority         INTEGER NOT NULL DEFAULT 0,
  state            TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled')),
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  pause_requested  INTEGER NOT NULL DEFAULT 0 CHECK (pause_requested IN (0, 1)),
  run_after        INTEGER NOT NULL DEFAULT 0,          -- not claimed before this time: the wait between attempts
  created          INTEGER NOT NULL,
  started          INTEGER NOT NULL DEFAULT 0,          -- of the first attempt, 0: never
  ended            INTEGER NOT NULL DEFAULT 0,
  attempt          INTEGER NOT NULL DEFAULT 0,          -- attempts begun that count against max_attempts
  max_attempts     INTEGER NOT NULL CHECK (max_attempts >= 1),
  token            INTEGER NOT NULL DEFAULT 0,          -- fencing token of the attempt that holds the lease, 0: none
  lease_until      INTEGER NOT NULL DEFAULT 0,
  error            TEXT    NOT NULL DEFAULT '',
  estimate         TEXT    NOT NULL CHECK (json_valid(estimate)),
  progress         TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended > 0)),
  CHECK ((state = 'running') = (token > 0))
) STRICT;

-- The claim walks this index: highest priority first, then oldest.
CREATE INDEX job_queue ON job (priority DESC, id) WHERE state = 'queued';
CREATE INDEX job_state ON job (state, id DESC);

-- One row per start of a worker, kept as the job's history.
CREATE TABLE attempt (
  token   INTEGER PRIMARY KEY AUTOINCREMENT,            -- grows by each claim: a later attempt always has the larger token
  job     INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  started INTEGER NOT NULL,
  ended   INTEGER NOT NULL DEFAULT 0,
  pid     INTEGER NOT NULL DEFAULT 0,
  outcome TEXT    NOT NULL DEFAULT ''                   -- '' while it runs
) STRICT;
CREATE INDEX attempt_job ON attempt (job);

-- What an Idempotency-Key was first used for. It dies with its job.
CREATE TABLE idempotency (
  key    TEXT    PRIMARY KEY,
  digest TEXT    NOT NULL,                              -- of the scene's text
  job    INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_job ON idempotency (job);
