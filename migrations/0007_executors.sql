-- Where a job runs, by the name of an executor, and what it says of how: a JSON object of "partition", "account", "constraint", "time_limit" (s).
ALTER TABLE job ADD COLUMN executor TEXT NOT NULL DEFAULT 'local';
ALTER TABLE job ADD COLUMN executor_options TEXT NOT NULL DEFAULT '{}';

-- The claim takes the first row of its executor: one that is full keeps nobody waiting for another.
DROP INDEX job_ready;
CREATE INDEX job_ready ON job (executor, priority DESC, id) WHERE state = 'queued' AND run_after = 0 AND waiting = '';
