-- Format 2: versions that no restore repeats, and heads that are whole.

-- Drawn at random with every commit. Beside the version it tells two states of a row apart that a backup, put back
-- into the file, has given the same number. {stamp} is drawn when the file is brought to this format, and belongs to
-- all rows that were there: each has a version of its own from before.
ALTER TABLE canvas ADD COLUMN stamp INTEGER NOT NULL DEFAULT {stamp};

-- Of version and head; null in rows of format 1. A copy of the file that was made while it was written may have the
-- beginning of one head and the end of another, which together may be a head.
ALTER TABLE canvas ADD COLUMN sum INTEGER;
