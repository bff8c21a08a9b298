//! Ids on a board.

use crate::model::id::name;

name! {
    /// Names a workspace, such as `ws_abc123`.
    WorkspaceId
}

name! {
    /// Names a component, such as `cmp_xyz789`. It is never used for another one.
    ComponentId
}

name! {
    /// Names a saved view, such as `view_def456`.
    ViewId
}

name! {
    /// Names a type of components, such as `github.pr-list`.
    TypeId
}

name! {
    /// Names a source of data, such as `mock-github`.
    DataSourceId
}

name! {
    /// Names an entry of the history, such as `undo_ghi012`.
    UndoId
}

name! {
    /// Names a trigger, such as `trigger_jkl345`.
    TriggerId
}
