//! Which leases a turn holds, read off the replies that pass by.

use std::collections::BTreeSet;

use canvas_tools::{CHECK_IN, CHECK_OUT, ToolCall, ToolReply};
use serde_json::Value;

/// Leases in the order in which they were taken.
///
/// A lease id is never taken twice: once it was given back or lost, replies that name it change nothing.
#[derive(Debug, Default)]
pub(super) struct Leases {
    held: Vec<Held>,
    gone: BTreeSet<String>,
    /// Releases that were asked for and not yet reported, with the time until which to wait.
    releasing: Vec<(String, u64)>,
}

#[derive(Debug)]
struct Held {
    id: String,
    news: News,
    renew_at: u64,
    taken_at: Option<u64>,
}

/// Replies come without the time, so what they tell waits for the next poll.
#[derive(Debug, Clone, Copy)]
enum News {
    Fresh { expires_at: Option<u64> },
    Settled,
}

/// How long leases live, and how long the loop keeps one alive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) ttl_ms: u64,
    pub(super) max_hold_ms: u64,
}

impl Leases {
    /// Learns from the reply to a call.
    pub(super) fn learn(&mut self, call: &ToolCall, reply: &ToolReply) {
        let asked = call.arguments.get("lease_id").and_then(Value::as_str);
        if reply.is_ok() {
            let told = reply.lease_id();
            match (call.name.as_str(), asked.or(told)) {
                (CHECK_IN, Some(id)) => self.lose(id),
                (CHECK_OUT, _) => {
                    if let Some(id) = told {
                        self.take(id, expiry(reply));
                    }
                }
                (_, Some(id)) if expiry(reply).is_some() => self.refresh(id, expiry(reply)),
                _ => {}
            }
        } else {
            self.refused(asked, reply);
        }
    }

    /// Learns from the reply to a renewal.
    pub(super) fn renewed(&mut self, id: &str, reply: &ToolReply) {
        if reply.is_ok() {
            self.refresh(id, expiry(reply));
        } else {
            self.refused(Some(id), reply);
        }
    }

    fn refused(&mut self, asked: Option<&str>, reply: &ToolReply) {
        let code = reply.code().unwrap_or_default();
        match (code, asked) {
            ("STALE_EPOCH" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED", Some(id)) => self.lose(id),
            // A new epoch ends every lease before it.
            ("STALE_EPOCH", None) => {
                while let Some(held) = self.held.pop() {
                    self.gone.insert(held.id);
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, id: &str, expires_at: Option<u64>) {
        if self.gone.contains(id) {
            return;
        }
        if self.is_held(id) {
            return self.refresh(id, expires_at);
        }
        let news = News::Fresh { expires_at };
        self.held.push(Held { id: id.to_owned(), news, renew_at: u64::MAX, taken_at: None });
    }

    fn refresh(&mut self, id: &str, expires_at: Option<u64>) {
        if let Some(held) = self.held.iter_mut().find(|held| held.id == id) {
            held.news = News::Fresh { expires_at };
        }
    }

    fn lose(&mut self, id: &str) {
        let before = self.held.len();
        self.held.retain(|held| held.id != id);
        if self.held.len() < before {
            self.gone.insert(id.to_owned());
        }
    }

    pub(super) fn is_held(&self, id: &str) -> bool {
        self.held.iter().any(|held| held.id == id)
    }

    pub(super) fn held(&self) -> impl Iterator<Item = &str> {
        self.held.iter().map(|held| held.id.as_str())
    }

    /// Turns news into deadlines, now that the time is known: a lease is renewed after a third of its life.
    pub(super) fn settle(&mut self, now: u64, terms: Terms) {
        for held in &mut self.held {
            let taken_at = *held.taken_at.get_or_insert(now);
            if let News::Fresh { expires_at } = held.news {
                // An expiry in the past is another clock's.
                let left = expires_at.and_then(|at| at.checked_sub(now)).filter(|left| *left > 0);
                let wait = left.unwrap_or(terms.ttl_ms).min(terms.ttl_ms) / 3;
                held.renew_at = now.saturating_add(wait.max(1));
                held.news = News::Settled;
            }
            if held.renew_at > taken_at.saturating_add(terms.max_hold_ms) {
                held.renew_at = u64::MAX;
            }
        }
    }

    /// A lease whose renewal is due. It is asked for once; the next time after another third.
    pub(super) fn renewal(&mut self, now: u64, terms: Terms) -> Option<String> {
        let due = self.held.iter_mut().find(|held| held.renew_at <= now)?;
        due.renew_at = now.saturating_add((terms.ttl_ms / 3).max(1));
        Some(due.id.clone())
    }

    /// When the next renewal is due.
    pub(super) fn next_renewal(&self) -> Option<u64> {
        self.held.iter().map(|held| held.renew_at).min().filter(|at| *at < u64::MAX)
    }

    /// Gives up the oldest lease. The report of it is awaited for one lifetime.
    pub(super) fn release(&mut self, now: u64, terms: Terms) -> Option<String> {
        if self.held.is_empty() {
            return None;
        }
        let id = self.held.remove(0).id;
        self.gone.insert(id.clone());
        self.releasing.push((id.clone(), now.saturating_add(terms.ttl_ms)));
        Some(id)
    }

    /// Until when reports of releases are awaited.
    pub(super) fn releasing_until(&mut self, now: u64) -> Option<u64> {
        self.releasing.retain(|(_, until)| *until > now);
        self.releasing.iter().map(|(_, until)| *until).max()
    }

    /// Takes the report of a release; false if none was asked for.
    pub(super) fn released(&mut self, id: &str) -> bool {
        let before = self.releasing.len();
        self.releasing.retain(|(releasing, _)| releasing != id);
        self.releasing.len() < before
    }
}

fn expiry(reply: &ToolReply) -> Option<u64> {
    reply.body().get("expires_at").and_then(Value::as_u64)
}
