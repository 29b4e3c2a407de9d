-- Measured curves: columns of uploaded files with their corrections; and what a calibration keeps of its rows.

CREATE TABLE measured (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  name    TEXT    NOT NULL UNIQUE,
  title   TEXT    NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  about   TEXT    NOT NULL                               -- JSON: names and units of x and y, scatter, how each specimen was read and corrected
) STRICT;
CREATE TABLE measured_specimen (
  measured INTEGER NOT NULL REFERENCES measured (id) ON DELETE CASCADE,
  number   INTEGER NOT NULL,                             -- 1, 2, ...
  asset    TEXT    NOT NULL REFERENCES asset (digest),   -- the file it was read from, kept as long as the curve
  curve    BLOB    NOT NULL,                             -- x of all samples, then y, doubles in SI units, corrected
  PRIMARY KEY (measured, number)
) STRICT;
CREATE INDEX measured_specimen_asset ON measured_specimen (asset);

-- How far a row's run lies from what was measured: residuals of its scene's targets, doubles.
CREATE TABLE study_residual (
  study     INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
  number    INTEGER NOT NULL,
  residuals BLOB    NOT NULL,
  PRIMARY KEY (study, number)
) STRICT;
