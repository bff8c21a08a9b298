-- Drops blobs, provided that the head by which they were found unneeded still exists.
-- $1 canvas, $2 version, $3 stamp, $4 hashes.
WITH cur AS MATERIALIZED (
    SELECT version, stamp FROM {schema}.heads WHERE canvas = $1 FOR UPDATE
), same AS MATERIALIZED (
    SELECT FROM cur WHERE version = $2 AND stamp = $3
), dropped AS (
    DELETE FROM {schema}.blobs b USING same WHERE b.canvas = $1 AND b.hash = ANY ($4)
)
SELECT count(*) > 0 AS unchanged FROM same
