-- What the store needs for any kind of matter, and for recordings that are looked after.

-- When a finished recording was last read over, 0: never; and what was found missing in it: '' nothing, when that was found, and how many of how
-- many records are sound.
ALTER TABLE job ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN damage TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN damage_found INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN damage_sound INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN damage_expected INTEGER NOT NULL DEFAULT 0;
-- The next recording to read over is the first of this index.
CREATE INDEX job_verified ON job (verified, id) WHERE ended > 0 AND last_seq > 0;

-- The numbers that tell how a run does, which its method declares: a JSON array of {"name", "label", "unit", "value"}. Jobs from before keep the two that
-- there were for all.
ALTER TABLE job ADD COLUMN headlines TEXT NOT NULL DEFAULT '[]';
UPDATE job SET headlines = json_array(json_object('name', 'peak_force', 'label', 'Peak force', 'unit', 'N', 'value', peak_force),
                                      json_object('name', 'broken_bonds', 'label', 'Broken bonds', 'unit', '1', 'value', broken_bonds))
  WHERE started > 0;
ALTER TABLE job DROP COLUMN peak_force;
ALTER TABLE job DROP COLUMN broken_bonds;

-- Files that scenes refer to, by the SHA-256 of their bytes; the bytes are in the data directory's assets/DIGEST.
CREATE TABLE asset (
  digest  TEXT    PRIMARY KEY,                          -- 64 hexadecimal digits
  bytes   INTEGER NOT NULL,
  name    TEXT    NOT NULL DEFAULT '',                  -- of the file that was uploaded, for people
  media   TEXT    NOT NULL DEFAULT '',                  -- what its sender said it is
  created INTEGER NOT NULL,
  used    INTEGER NOT NULL                              -- when it was last uploaded, or last lost a job that needed it
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_used ON asset (used);
-- Which jobs need which.
CREATE TABLE job_asset (
  job    INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  digest TEXT    NOT NULL REFERENCES asset (digest),
  PRIMARY KEY (job, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_asset_digest ON job_asset (digest, job);
