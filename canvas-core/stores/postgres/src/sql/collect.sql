-- Drops the blobs that nothing needs, provided that the row is the one by which that was found out.
-- $1 canvas, $2 version, $3 stamp, $4 hashes to keep, $5 age in microseconds (null for any).
WITH cur AS MATERIALIZED (
    SELECT FROM {schema}.heads WHERE canvas = $1 AND version = $2 AND stamp = $3 FOR UPDATE
), timed AS MATERIALIZED (
    -- Read once the row is locked.
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock FROM cur
), dropped AS (
    DELETE FROM {schema}.blobs b USING timed t
    WHERE b.canvas = $1 AND ($5::bigint IS NULL OR b.put <= t.clock - $5)
        AND NOT EXISTS (SELECT FROM unnest($4::bytea[]) AS k(hash) WHERE k.hash = b.hash)
    RETURNING octet_length(b.content) AS bytes
)
SELECT (SELECT count(*) > 0 FROM timed) AS unchanged,
    (SELECT count(*) FROM dropped) AS blobs, (SELECT coalesce(sum(bytes), 0)::bigint FROM dropped) AS bytes
