-- Format 1. Each later format is a file of its own, run after this one.

-- One row a canvas, never removed: its version must not start again.
CREATE TABLE canvas (
    key INTEGER PRIMARY KEY,
    -- Any UTF-8, a NUL too, in the order of its bytes: so no TEXT.
    id BLOB NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 512),
    -- Grows by 1 with every commit.
    version INTEGER NOT NULL CHECK (version > 0),
    -- JSON that carries a format number of its own.
    head BLOB NOT NULL
) STRICT;

-- Content, named by the blake3 of its bytes. It belongs to one canvas. With a row id: a search in a table without one
-- reads the whole content of each row that it passes.
CREATE TABLE blob (
    canvas INTEGER NOT NULL REFERENCES canvas (key),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    bytes BLOB NOT NULL,
    PRIMARY KEY (canvas, hash)
) STRICT;
