//! The same call again: done once, answered alike, on whatever server and however late.

use canvas_lease::LeaseId;

use super::server::{SHORT, Server, operation};
use super::tasks::{Elsewhere, both};
use super::{SHOWN, Verdict, row, same};
use crate::conformance::harness::Harness;
use crate::engine::Answered;
use crate::transition::command::{Call, Command};
use crate::transition::outcome::Outcome;

fn named(name: &str, command: Command) -> Call {
    Call { operation: operation("first", name), command }
}

fn apply(lease: LeaseId, patch: &str) -> Command {
    Command::Apply { lease: Some(lease), patch: patch.into(), base: None }
}

pub(in crate::conformance) async fn retry_in_flight<H: Harness>(harness: &H) -> Verdict {
    let store = harness.fresh().await;
    let (mut one, two) =
        (Server::new(harness, &store, "one").await?, Server::new(harness, &store, "two").await?);
    one.create("a\n").await?;
    let out = named("out", Command::CheckOut);
    let lease = match twice_at_once(harness, &store, &one, &two, &out, 0).await?.outcome {
        Outcome::CheckedOut { lease, .. } => lease,
        other => return Err(format!("a check-out, made twice at once, gave {other:?}")),
    };
    let write = named("write", apply(lease, "@@\n a\n+b\n"));
    twice_at_once(harness, &store, &one, &two, &write, 1).await?;
    let edit = named("edit", Command::Edit { markdown: "z\n".into() });
    twice_at_once(harness, &store, &one, &two, &edit, 1).await?;
    twice_at_once(harness, &store, &one, &two, &named("message", Command::Message), 0).await?;
    same("the document", two.text().await?, "z\n".to_owned())?;
    SHOWN
}

/// Makes one call on two servers at once, both held up where that can be; gives the answer.
async fn twice_at_once<H: Harness>(
    harness: &H,
    store: &H::Store,
    one: &Server<'_, H>,
    two: &Server<'_, H>,
    call: &Call,
    revisions: u64,
) -> Result<Answered, String> {
    let what = |what: &str| format!("{what} of {:?}, made twice at once", call.operation.call.as_str());
    let before = row(store, one.canvas()).await?.head;
    let elsewhere = Elsewhere::of(harness).await;
    let stall = harness.stall(store, one.canvas()).await;
    let free = async {
        elsewhere.be_busy().await?;
        drop(stall);
        Ok::<_, String>(())
    };
    let ((first, second), freed) = both(both(one.call(call), two.call(call)), free).await;
    freed?;
    let (first, second) = (first?, second?);
    same(&what("the second answer"), &second.outcome, &first.outcome)?;
    same(&what("the answers from a receipt"), u8::from(first.replayed) + u8::from(second.replayed), 1)?;
    let after = row(store, one.canvas()).await?.head;
    let moved = after.revision().get() - before.revision().get();
    same(&what("the number of revisions"), moved, revisions)?;
    Ok(first)
}

pub(in crate::conformance) async fn retry_after_the_lease<H: Harness>(harness: &H) -> Verdict {
    let store = harness.fresh().await;
    let mut one = Server::with_ttl(harness, &store, "one", SHORT).await?;
    let two = Server::new(harness, &store, "two").await?;
    one.create("a\n").await?;
    for end in ["in", "expiry", "edit"] {
        let name = |what: &str| format!("{what}, before {end}");
        let out = one.call(&named(&name("out"), Command::CheckOut)).await?;
        let Outcome::CheckedOut { lease, expires_at, epoch, .. } = out.outcome else {
            return Err(format!("a check-out of a free canvas gave {:?}", out.outcome));
        };
        // On a slow store the lease may be over before they are: that is an answer too.
        let mut calls = vec![
            named(&name("out"), Command::CheckOut),
            named(&name("write"), apply(lease, "@@\n a\n+b\n")),
            // One that is refused: refusals are answers too.
            named(&name("wrong"), apply(lease, "@@\n-nowhere\n+b\n")),
            named(&name("renew"), Command::Renew { lease: Some(lease) }),
        ];
        if end == "in" {
            calls.push(named(&name("in"), Command::CheckIn { lease: Some(lease) }));
        }
        let mut answers = Vec::new();
        for call in &calls {
            answers.push(one.call(call).await?);
        }
        match end {
            "expiry" => {
                // A keep-alive may have moved it.
                let head = row(&store, one.canvas()).await?.head;
                one.wait_until(head.lock().lease().map_or(expires_at, |lease| lease.expires_at)).await?;
            }
            "edit" => {
                let edit = Call {
                    operation: operation("user", "edit"),
                    command: Command::Edit { markdown: "a\n".into() },
                };
                two.call(&edit).await?;
            }
            _ => {}
        }
        let before = row(&store, one.canvas()).await?;
        same("a new epoch", before.head.lock().epoch() > epoch, end == "edit")?;
        for (call, answer) in calls.iter().zip(&answers) {
            for server in [&two, &one] {
                let again = server.call(call).await?;
                let what = call.operation.call.as_str();
                same(&format!("the answer to {what:?}, again"), &again.outcome, &answer.outcome)?;
                same(&format!("a receipt for {what:?}"), again.replayed, true)?;
            }
        }
        let after = row(&store, one.canvas()).await?;
        same("the row after retries", after.version, before.version)?;
    }
    SHOWN
}
