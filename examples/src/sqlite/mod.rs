//! A store in an SQLite file: the default for an application that embeds the engine.
