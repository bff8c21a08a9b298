//! A store in a PostgreSQL database, for several servers.
