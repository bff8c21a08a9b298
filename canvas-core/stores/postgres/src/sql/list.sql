-- $1 the id before the first, $2 how many.
SELECT pg_is_in_recovery() AS standby, h.canvas
FROM (SELECT) AS always
LEFT JOIN (SELECT canvas FROM {schema}.heads WHERE canvas > $1 ORDER BY canvas LIMIT $2) h ON true
ORDER BY h.canvas
