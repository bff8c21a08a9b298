-- Makes the row of a canvas that has none.
-- $1 canvas, $2 key of the lock, $3 not after (ms, or null), $4 epoch, $5 head, $6 hashes, $7 contents, $8 document.
WITH alone AS MATERIALIZED (
    -- There is no row to lock yet, and the insert itself may wait for another one. This lock does the waiting
    -- before the clock is read; it ends with the statement.
    SELECT pg_advisory_xact_lock($2)
), timed AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock FROM alone
), made AS (
    INSERT INTO {schema}.heads (canvas, version, stamp, epoch, document, head)
    SELECT $1, 1, clock, $4, $8, $5 FROM timed WHERE $3::bigint IS NULL OR clock / 1000 < $3
    ON CONFLICT DO NOTHING
    RETURNING version, stamp
), kept AS (
    INSERT INTO {schema}.blobs (canvas, hash, content, put)
    SELECT DISTINCT ON (b.hash) $1, b.hash, b.content, made.stamp
    FROM made, unnest($6::bytea[], $7::bytea[]) AS b(hash, content)
    ON CONFLICT (canvas, hash) DO UPDATE SET put = excluded.put
)
SELECT timed.clock, made.version AS new_version, made.stamp AS new_stamp FROM timed LEFT JOIN made ON true
