//! A repeated call is applied once and gets the same answer, on any server and however late.

use canvas_core::document::Edit;
use canvas_core::lease::{CheckIn, CheckOut, CheckedOut, LeaseId, Renew};
use canvas_core::turn::SendMessage;
use canvas_core::{Command, OpKey};

use super::server::{Outcome, SHORT, Server, apply, code, operation, pair};
use super::tasks::{Elsewhere, both};
use super::{CanvasId, PASSED, Verdict, row, same};
use crate::conformance::harness::Harness;

fn named(name: &str) -> OpKey {
    operation("first", name)
}

pub(crate) async fn retry_in_flight<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (mut one, two) = pair(harness, store).await?;
    one.create("a\n").await?;
    let servers = (&one, &two);
    let lease = match twice_at_once(harness, store, servers, ("out", CheckOut), 0).await? {
        Ok(checked_out) => checked_out.lease,
        Err(refusal) => return Err(format!("a check-out, made twice at once, gave {refusal:?}")),
    };
    let write = ("write", apply(lease, "@@\n a\n+b\n"));
    same("the write", code(&twice_at_once(harness, store, servers, write, 1).await?), "OK")?;
    let edit = ("edit", Edit::overwrite("z\n"));
    same("the edit", code(&twice_at_once(harness, store, servers, edit, 1).await?), "OK")?;
    let message = ("message", SendMessage);
    same("the message", code(&twice_at_once(harness, store, servers, message, 0).await?), "OK")?;
    same("the document", two.text().await?, "z\n".to_owned())?;
    PASSED
}

/// Makes one call on two servers at once, and blocks both if the harness can do so. Returns the answer.
async fn twice_at_once<H: Harness, C: Command>(
    harness: &H,
    store: &H::Store,
    (one, two): (&Server<'_, H>, &Server<'_, H>),
    (name, command): (&str, C),
    revisions: u64,
) -> Result<Outcome<C>, String> {
    let key = named(name);
    let what = |what: &str| format!("{what} of {name:?}, made twice at once");
    let before = row(store, one.canvas()).await?.head;
    let elsewhere = Elsewhere::of(harness).await;
    let stall = harness.stall(store, one.canvas()).await;
    let free = async {
        elsewhere.be_busy().await?;
        drop(stall);
        Ok::<_, String>(())
    };
    let ((first, second), freed) =
        both(both(one.call(&key, command.clone()), two.call(&key, command)), free).await;
    freed?;
    let (first, second) = (first?, second?);
    same(&what("the second answer"), &second.result, &first.result)?;
    same(&what("the answers from a receipt"), u8::from(first.replayed) + u8::from(second.replayed), 1)?;
    let after = row(store, one.canvas()).await?.head;
    let moved = after.revision().get() - before.revision().get();
    same(&what("the number of revisions"), moved, revisions)?;
    Ok(first.result)
}

pub(crate) async fn retry_after_the_lease<H: Harness>(
    harness: &H,
    store: &H::Store,
    _: &CanvasId,
) -> Verdict {
    let mut one = Server::with_ttl(harness, store, "one", SHORT).await?;
    let two = Server::new(harness, store, "two").await?;
    one.create("a\n").await?;
    for end in ["in", "expiry", "edit"] {
        let name = |what: &str| format!("{what}, before {end}");
        let out = one.call(&named(&name("out")), CheckOut).await?.result;
        let Ok(CheckedOut { lease, expires_at, epoch, .. }) = out else {
            return Err(format!("a check-out of a free canvas gave {out:?}"));
        };
        let calls = Calls { end, lease };
        let answers = calls.make(&one).await?;
        match end {
            "expiry" => {
                // A keep-alive may have moved the version.
                let head = row(store, one.canvas()).await?.head;
                one.wait_until(head.lock().lease().map_or(expires_at, |lease| lease.expires_at)).await?;
            }
            "edit" => {
                let edited = two.call(&operation("user", "edit"), Edit::overwrite("a\n")).await?;
                edited.result.map_err(|refusal| refusal.to_string())?;
            }
            _ => {}
        }
        let before = row(store, one.canvas()).await?;
        same("a new epoch", before.head.lock().epoch() > epoch, end == "edit")?;
        for server in [&two, &one] {
            for (again, (what, answer, _)) in calls.make(server).await?.into_iter().zip(&answers) {
                same(&format!("the answer to {what:?}, again"), &again.1, answer)?;
                same(&format!("a receipt for {what:?}"), again.2, true)?;
            }
        }
        let after = row(store, one.canvas()).await?;
        same("the row after retries", after.version, before.version)?;
    }
    PASSED
}

/// Calls under one lease, including the check-out itself.
struct Calls {
    end: &'static str,
    lease: LeaseId,
}

impl Calls {
    /// Makes all calls. Returns their names, their answers, and whether these come from receipts.
    ///
    /// On a slow store the lease may expire before the last call, which is a valid answer too.
    async fn make<H: Harness>(&self, server: &Server<'_, H>) -> Result<Vec<(String, String, bool)>, String> {
        let lease = Some(self.lease);
        let mut answers = vec![
            self.call(server, "out", CheckOut).await?,
            self.call(server, "write", apply(self.lease, "@@\n a\n+b\n")).await?,
            // A refusal is an answer too.
            self.call(server, "wrong", apply(self.lease, "@@\n-nowhere\n+b\n")).await?,
            self.call(server, "renew", Renew { lease }).await?,
        ];
        if self.end == "in" {
            answers.push(self.call(server, "in", CheckIn { lease }).await?);
        }
        Ok(answers)
    }

    async fn call<H: Harness, C: Command>(
        &self,
        server: &Server<'_, H>,
        what: &str,
        command: C,
    ) -> Result<(String, String, bool), String> {
        let what = format!("{what}, before {}", self.end);
        let answered = server.call(&named(&what), command).await?;
        Ok((what, format!("{:?}", answered.result), answered.replayed))
    }
}
