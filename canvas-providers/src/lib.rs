//! How each model provider says tool calls: decode, encode, and a sans-IO tool loop.
