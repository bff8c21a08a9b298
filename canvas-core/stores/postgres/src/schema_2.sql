-- From layout 1 to 2: the age of blobs. No row is rewritten: those that are there have been put now, once for all.
ALTER TABLE {schema}.blobs
    ADD COLUMN put bigint NOT NULL DEFAULT ((extract(epoch FROM now()) * 1000000)::bigint);
ALTER TABLE {schema}.blobs ALTER COLUMN put DROP DEFAULT;
UPDATE {schema}.layout SET version = 2;
