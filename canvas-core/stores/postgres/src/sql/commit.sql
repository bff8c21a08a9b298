-- Compares and swaps the row of a canvas that has one.
-- $1 canvas, $2 expected version, $3 expected stamp, $4 not after (ms, or null), $5 epoch, $6 head,
-- $7 hashes, $8 contents, $9 channel, $10 payload, $11 document.
WITH cur AS MATERIALIZED (
    -- May wait for another commit, and then compares again. Who is wrong from the start locks nothing and holds nobody
    -- up.
    SELECT epoch FROM {schema}.heads WHERE canvas = $1 AND version = $2 AND stamp = $3 FOR UPDATE
), timed AS MATERIALIZED (
    -- Read once the row is locked: whatever the wait, the clock comes after it.
    SELECT cur.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock FROM cur
), judged AS MATERIALIZED (
    SELECT timed.*, CASE WHEN clock / 1000 >= $4 THEN 'late' ELSE 'done' END AS outcome FROM timed
), moved AS (
    UPDATE {schema}.heads h SET version = $2 + 1, stamp = j.clock, epoch = $5, document = $11, head = $6
    FROM judged j WHERE h.canvas = $1 AND j.outcome = 'done'
    RETURNING h.version, h.stamp
), kept AS (
    -- The join with `moved` ties the blobs to the head.
    -- One that is there is young again, and its content stays where it is.
    INSERT INTO {schema}.blobs (canvas, hash, content, put)
    SELECT DISTINCT ON (b.hash) $1, b.hash, b.content, moved.stamp
    FROM moved, unnest($7::bytea[], $8::bytea[]) AS b(hash, content)
    ON CONFLICT (canvas, hash) DO UPDATE SET put = excluded.put
), lost AS MATERIALIZED (
    -- Where the snapshot shows what it expected, it has lost to a commit that is later than its snapshot.
    SELECT CASE
        WHEN h.version = $2 AND h.stamp = $3 THEN {schema}.current_row($1)
        ELSE ARRAY[int8send(h.version), int8send(h.stamp), h.head, (
            SELECT b.content FROM {schema}.blobs b
            WHERE b.canvas = $1 AND b.hash = h.document AND octet_length(b.content) <= 65536
        )]
    END AS current
    FROM {schema}.heads h WHERE h.canvas = $1 AND NOT EXISTS (SELECT FROM cur)
)
SELECT coalesce(j.outcome, CASE WHEN l.current IS NULL THEN 'none' ELSE 'conflict' END) AS outcome,
    coalesce(j.clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS clock,
    m.version AS new_version, m.stamp AS new_stamp, l.current,
    -- A notification takes a lock that all notifying commits share, so only a changed epoch pays for one.
    CASE WHEN m.version IS NOT NULL AND j.epoch <> $5 THEN pg_notify($9, $10)::text END AS notified
FROM (SELECT) AS always LEFT JOIN judged j ON true LEFT JOIN moved m ON true LEFT JOIN lost l ON true
