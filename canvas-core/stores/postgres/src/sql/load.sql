-- $1 canvas. Always one row, so that a standby tells of itself even where it has no such canvas.
SELECT pg_is_in_recovery() AS standby, h.version, h.stamp, h.head,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock
FROM (SELECT) AS always LEFT JOIN {schema}.heads h ON h.canvas = $1
