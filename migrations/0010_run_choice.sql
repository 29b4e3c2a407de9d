-- On how many processes and on which device a job's run is made, as its scene says, so that a list of jobs reads no scenes. 0 and '': not known, of
-- jobs begun before, whose scenes are in their directories.
ALTER TABLE job ADD COLUMN ranks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN device TEXT NOT NULL DEFAULT '';
UPDATE job SET ranks = coalesce(json_extract(effective, '$.run.ranks'), 1), device = coalesce(json_extract(effective, '$.run.device'), 'cpu')
  FROM submission WHERE submission.job = job.id AND json_valid(effective);
