//! Names that no other process gives: of calls, conversations and clients.

use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::{CallId, ConversationId};

/// Makes names from what the system drew at random at the start, and a number.
#[derive(Debug)]
pub(crate) struct Names {
    start: String,
    next: AtomicU64,
}

impl Names {
    /// Names of a process that has just started.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        Ok(Self { start: hex(&random::<4>()?), next: AtomicU64::new(1) })
    }

    /// What all names of this process have in them.
    pub(crate) fn start(&self) -> &str {
        &self.start
    }

    /// A call that was never made.
    pub(crate) fn call(&self) -> CallId {
        CallId::new(&self.unique("call")).expect("the name is short")
    }

    /// A conversation that was never held, with a client of this name.
    pub(crate) fn conversation(&self, client: &str) -> ConversationId {
        ConversationId::new(&self.unique(&plain(client))).expect("the name is short")
    }

    fn unique(&self, what: &str) -> String {
        format!("{what}-{}-{}", self.start, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// Bytes that nobody can guess.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a client calls itself, as a part of a name: people see it beside the lock.
pub(crate) fn plain(client: &str) -> String {
    let kept = client.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.'));
    let name: String = kept.take(40).collect();
    if name.trim().is_empty() { "client".to_owned() } else { name.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_clients_are_plain() {
        for (client, name) in [
            ("claude-ai", "claude-ai"),
            ("Visual Studio Code", "Visual Studio Code"),
            ("a\n\0b/c", "abc"),
            ("", "client"),
            (" ", "client"),
            (&"x".repeat(100), &"x".repeat(40)),
        ] {
            assert_eq!(plain(client), *name);
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let names = Names::new().unwrap();
        assert_ne!(names.call(), names.call());
        assert_ne!(names.conversation("a"), names.conversation("a"));
        assert_ne!(names.start(), Names::new().unwrap().start());
    }
}
