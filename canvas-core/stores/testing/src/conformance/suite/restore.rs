//! A backup is restored while servers run. Their cached state then belongs to another history.

use canvas_core::document::Edit;

use super::server::{code, pair};
use super::{
    CanvasId, NO_BACKUP, PASSED, Verdict, canvas, commit, conflict_row, done, find, has, row, same,
    same_head, stored, unchanged,
};
use crate::conformance::harness::Harness;

pub(crate) async fn restored<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (peer, made_later) = (harness.peer(store).await, canvas("made later"));
    let (kept, version) = stored(store, commit(id, None, "kept\n")).await?;
    let Some(restore) = harness.back_up(store).await else { return NO_BACKUP };
    let lost = done(store, commit(id, Some(version), "lost\n")).await?.0;
    let unmade = done(store, commit(&made_later, None, "lost\n")).await?.0;
    restore.await;
    let restored = row(&peer, id).await?;
    same_head("the restored head", &restored.head, &kept)?;
    same("the restored document", has(&peer, id, "kept\n").await?, true)?;
    same("a row made after the backup", find(&peer, &made_later).await?.is_some(), false)?;
    // Another server commits equally often, so that all counters are equal again.
    for (id, expected, lost) in [(id, Some(restored.version), lost), (&made_later, None, unmade)] {
        let (head, version) = stored(&peer, commit(id, expected, "after\n")).await?;
        let current = conflict_row(store, commit(id, Some(lost), "over it\n")).await?;
        same_head("the head in the conflict", &current.head, &head)?;
        same("the version in the conflict", &current.version, &version)?;
        unchanged(store, &head, &version).await?;
        same("the document after the restore", has(store, id, "after\n").await?, true)?;
    }
    engines_go_on(harness).await
}

/// An engine has cached a head from after the backup, and puts only blobs that this head lacks.
async fn engines_go_on<H: Harness>(harness: &H) -> Verdict {
    let store = harness.fresh().await;
    let (mut one, mut two) = pair(harness, &store).await?;
    one.create("kept\n").await?;
    let Some(restore) = harness.back_up(&store).await else { return NO_BACKUP };
    same("an edit", code(&one.ask("user", Edit::overwrite("lost\n")).await?), "OK")?;
    restore.await;
    let before = row(&store, one.canvas()).await?.head.revision();
    same("an edit after the restore", code(&two.ask("user", Edit::overwrite("after\n")).await?), "OK")?;
    same(
        "an edit of who knows the time between",
        code(&one.ask("user", Edit::overwrite("last\n")).await?),
        "OK",
    )?;
    let head = row(&store, one.canvas()).await?.head;
    same("the number of edits since the restore", head.revision().get() - before.get(), 2)?;
    for server in [&one, &two] {
        same("the document", server.text().await?, "last\n".to_owned())?;
    }
    for id in head.blobs() {
        same("a blob that the head needs", super::blob(&store, one.canvas(), id).await?.is_some(), true)?;
    }
    PASSED
}
