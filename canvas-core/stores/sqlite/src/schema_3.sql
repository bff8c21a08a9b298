-- Format 3: the age of blobs.

-- When a blob was put last, by the store's clock. The rows that are there count as old: what a canvas needs stays
-- whatever its age, and a commit that lost has left nothing in a file. Last, so that a blob that is put again changes the
-- end of its row and nothing else.
ALTER TABLE blob ADD COLUMN put INTEGER NOT NULL DEFAULT 0;

-- Finds what is old without a look at the content. New blobs come at its end.
CREATE INDEX blob_put ON blob (canvas, put, hash);
