//! What a refusal means to the people at the page: the reply's own sentence tells a model what to call next.

/// One sentence for the code of a refused call.
pub(super) fn sentence(code: Option<&str>) -> &'static str {
    match code {
        Some("STALE_EPOCH" | "LOCK_NOT_AVAILABLE" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED") => {
            "The assistant did not have the lock of the document. Nothing was changed."
        }
        Some(
            "PATCH_REJECTED"
            | "ADDRESS_NOT_FOUND"
            | "ADDRESS_AMBIGUOUS"
            | "INVALID_RANGE"
            | "FINGERPRINT_MISMATCH"
            | "INVALID_DIRECTIVE",
        ) => "The edit does not fit the document as it is now. Nothing was changed.",
        Some("PATCH_EDITS_OFF") => "Patch edits are switched off. Nothing was changed.",
        Some("STALE_VERSION" | "STALE_BASE" | "REVISION_CONFLICT") => {
            "The document changed in the meantime, so nothing was written."
        }
        Some("COLLISION_DETECTED" | "INVALID_POSITION" | "INVALID_SIZE") => {
            "The place on the board is taken, or the board has none of that size. Nothing was changed."
        }
        // A tool of the host may have done something before it failed.
        _ => "It was refused.",
    }
}
