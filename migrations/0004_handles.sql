-- What an attempt runs as, by a text of its executor ('local:PID' for a process of this machine), in place of a process number: it outlives the daemon.
ALTER TABLE attempt ADD COLUMN handle TEXT NOT NULL DEFAULT '';
UPDATE attempt SET handle = 'local:' || pid WHERE pid > 0;
ALTER TABLE attempt DROP COLUMN pid;
