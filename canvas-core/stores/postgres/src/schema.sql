-- {schema} is the quoted name of the store's schema; the schema itself exists already.

-- One row: the layout that the tables below have.
CREATE TABLE {schema}.layout (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    version integer NOT NULL
);

-- One row a canvas, never deleted. Ids are bytes: text cannot hold NUL, and bytes sort as the engine sorts.
-- `version` only grows. `stamp` is the clock of the commit in microseconds: beside the version it tells two states
-- apart that a failover to a lagging replica, or a restored backup, has given the same number.
-- `document` names the blob of the document, to be sent along with a conflict.
-- A commit writes the row anew; the free space lets it stay on its page.
CREATE TABLE {schema}.heads (
    canvas bytea PRIMARY KEY CHECK (octet_length(canvas) BETWEEN 1 AND 512),
    version bigint NOT NULL CHECK (version > 0),
    stamp bigint NOT NULL,
    epoch bigint NOT NULL,
    document bytea NOT NULL,
    head bytea NOT NULL
) WITH (fillfactor = 50);

-- Content by canvas and blake3 hash, written once. `put` is the clock of the commit that put it last, in microseconds.
CREATE TABLE {schema}.blobs (
    canvas bytea NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    content bytea NOT NULL,
    put bigint NOT NULL,
    PRIMARY KEY (canvas, hash)
);

-- The row of a canvas as it is at this moment, with its document where that is short: a volatile function looks anew,
-- whatever the snapshot of the statement that calls it. Version and stamp are numbers of 8 bytes.
CREATE FUNCTION {schema}.current_row(bytea) RETURNS bytea[] LANGUAGE sql VOLATILE BEGIN ATOMIC
    SELECT ARRAY[int8send(h.version), int8send(h.stamp), h.head, b.content]
    FROM {schema}.heads h LEFT JOIN {schema}.blobs b
        ON b.canvas = h.canvas AND b.hash = h.document AND octet_length(b.content) <= 65536
    WHERE h.canvas = $1;
END;

INSERT INTO {schema}.layout (version) VALUES (2);
