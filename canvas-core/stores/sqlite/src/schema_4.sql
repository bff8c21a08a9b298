-- Format 4: packs. What the table `blob` has stays there and is read there; so are blobs that are too large for a pack.

-- The small blobs of one commit, one after the other. A collection may put what is left of several packs into one.
CREATE TABLE pack (
    key INTEGER PRIMARY KEY,
    canvas INTEGER NOT NULL REFERENCES canvas (key),
    bytes BLOB NOT NULL
) STRICT;

-- Where each blob lies in its pack, and when it was put last, as in `blob`. A blob has one row here, or one in `blob`. What no
-- row points to is dead.
CREATE TABLE packed (
    canvas INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    pack INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    put INTEGER NOT NULL,
    PRIMARY KEY (canvas, hash)
) STRICT, WITHOUT ROWID;
