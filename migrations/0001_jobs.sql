-- Jobs, what was submitted for them, and their attempts. Times are milliseconds since 1970 UTC, from the program's clock.
-- STRICT: a value of the wrong type is refused by the store, not stored and found later.

CREATE TABLE job (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: an id is never given twice, not even after a deletion
  name             TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  method           TEXT    NOT NULL,
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
  token            INTEGER NOT NULL DEFAULT 0,          -- fencing token of the attempt that runs it, 0: none
  error            TEXT    NOT NULL DEFAULT '',

  -- what it will cost (scr_estimate); NULL stands for a number that is not known
  node_count       INTEGER NOT NULL,
  bond_count       INTEGER NOT NULL,
  memory_bytes     REAL,
  time_step        REAL,
  time_step_rule   TEXT    NOT NULL,
  total_steps      INTEGER NOT NULL,
  frame_count      INTEGER NOT NULL,
  record_bytes     REAL,
  estimated_seconds REAL,

  -- how far it got; written every few seconds while it runs
  step             INTEGER NOT NULL DEFAULT 0,
  step_count       INTEGER NOT NULL DEFAULT 0,
  sim_time         REAL    NOT NULL DEFAULT 0,
  duration         REAL    NOT NULL DEFAULT 0,
  peak_force       REAL    NOT NULL DEFAULT 0,
  broken_bonds     REAL    NOT NULL DEFAULT 0,
  run_seconds      REAL    NOT NULL DEFAULT 0,
  last_seq         INTEGER NOT NULL DEFAULT 0,

  CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended > 0)),
  CHECK ((state = 'running') = (token > 0))
) STRICT;

-- The claim walks this index: highest priority first, then oldest.
CREATE INDEX job_queue ON job (priority DESC, id) WHERE state = 'queued';
CREATE INDEX job_state ON job (state, id);

-- The scene as it was sent, and the Idempotency-Key it was sent with. Apart from `job`, so that listing jobs does not read scenes.
CREATE TABLE submission (
  job   INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  key   TEXT    UNIQUE,                                 -- NULL: none was given
  scene TEXT    NOT NULL
) STRICT;

-- One row per start of a worker, kept as the job's history.
CREATE TABLE attempt (
  token   INTEGER PRIMARY KEY AUTOINCREMENT,            -- grows with every claim: a later attempt always has the larger token
  job     INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  started INTEGER NOT NULL,
  ended   INTEGER NOT NULL DEFAULT 0,
  pid     INTEGER NOT NULL DEFAULT 0,
  outcome TEXT    NOT NULL DEFAULT '',                  -- '' while it runs
  error   TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX attempt_job ON attempt (job);
