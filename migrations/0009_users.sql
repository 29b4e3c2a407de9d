-- Who submitted a job or a study, as they said: free text to find runs by, which nobody proves. '': they said nothing.
ALTER TABLE job ADD COLUMN user TEXT NOT NULL DEFAULT '';
ALTER TABLE study ADD COLUMN user TEXT NOT NULL DEFAULT '';
CREATE INDEX job_user ON job (user, id) WHERE user <> '';
