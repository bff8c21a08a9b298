-- $1 canvas, $2 hashes.
SELECT pg_is_in_recovery() AS standby, b.hash, b.content
FROM (SELECT) AS always LEFT JOIN {schema}.blobs b ON b.canvas = $1 AND b.hash = ANY ($2)
