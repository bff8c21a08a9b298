-- Compares and swaps the row of a canvas that has one.
-- $1 canvas, $2 expected version, $3 expected stamp, $4 not after (ms, or null), $5 epoch, $6 head,
-- $7 hashes, $8 contents, $9 channel, $10 payload, $11 document.
WITH cur AS MATERIALIZED (
    -- May wait for another commit; sees the row as that left it.
    SELECT version, stamp, epoch, document, head FROM {schema}.heads WHERE canvas = $1 FOR UPDATE
), timed AS MATERIALIZED (
    -- Read once the row is locked: whatever the wait, the clock comes after it.
    SELECT cur.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock FROM cur
), judged AS MATERIALIZED (
    SELECT timed.*, CASE
        WHEN version <> $2 OR stamp <> $3 THEN 'conflict'
        WHEN clock / 1000 >= $4 THEN 'late'
        ELSE 'done'
    END AS outcome FROM timed
), moved AS (
    UPDATE {schema}.heads h SET version = j.version + 1, stamp = j.clock, epoch = $5, document = $11, head = $6
    FROM judged j WHERE h.canvas = $1 AND j.outcome = 'done'
    RETURNING h.version, h.stamp
), kept AS (
    -- The join with `moved` ties the blobs to the head.
    INSERT INTO {schema}.blobs (canvas, hash, content)
    SELECT $1, b.hash, b.content FROM moved, unnest($7::bytea[], $8::bytea[]) AS b(hash, content)
    ON CONFLICT DO NOTHING
)
-- From the locked row, not from the table: the statement's snapshot may be older than what it lost to.
SELECT j.outcome, j.clock, m.version AS new_version, m.stamp AS new_stamp, j.version, j.stamp,
    CASE WHEN j.outcome = 'conflict' THEN j.head END AS head,
    -- What the snapshot does not see yet, and what is long, the engine fetches.
    CASE WHEN j.outcome = 'conflict' THEN (
        SELECT b.content FROM {schema}.blobs b
        WHERE b.canvas = $1 AND b.hash = j.document AND octet_length(b.content) <= 65536
    ) END AS document,
    -- A notice takes a lock that all notifying commits share, so only a changed epoch pays for one.
    CASE WHEN m.version IS NOT NULL AND j.epoch <> $5 THEN pg_notify($9, $10)::text END AS told
FROM judged j LEFT JOIN moved m ON true
