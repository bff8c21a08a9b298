//! The user comes first: what each of the user's acts ends, and what begins after it.

use super::story::check;

/// Held or not, each act raises the epoch, and the lease of before is of the past.
#[test]
fn each_act_of_the_user_ends_the_lease() {
    for (act, answer) in [
        ("user edits u1 a|b", "epoch 1 r1"),
        ("user cancels u1", "epoch 1"),
        ("user takes-control u1", "epoch 1"),
        ("model hears u1", "epoch 1 r1, promoted, reported nothing"),
        ("other hears u1", "epoch 1 r1, promoted, reported the whole"),
    ] {
        check(&format!(
            "
            1000 model checks-out c1 -> lease-1-0 until 16000 r1
            2000 {act} -> {answer}
            2000 model reads lease-1-0 -> STALE_EPOCH 1, shown nothing
            2000 model writes c2 lease-1-0 a>c -> STALE_EPOCH 1, shown nothing
            2000 model renews c3 lease-1-0 -> STALE_EPOCH 1, shown nothing
            2000 model checks-in c4 lease-1-0 -> STALE_EPOCH 1, shown nothing
            "
        ));
        check(&format!("1000 {act} -> {answer}"));
    }
}

#[test]
fn an_edit_leaves_the_turn_to_the_model() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1500 model reads lease-1-0 -> r1 until 16000
        2000 user edits u1 a|z -> epoch 1 r2
        3000 model writes c2 lease-1-0 b>c -> STALE_EPOCH 1, shown -b +z
        3000 model checks-out c3 -> lease-2-1 until 18000 r2
        3000 model writes c4 lease-2-1 z>c -> r3 +1 −1 until 18000
        3000 user edits u2 q -> epoch 2 r4
        3000 user edits u3 q -> epoch 3 r4
        ",
    );
}

#[test]
fn the_end_of_a_turn_bars_its_check_outs_until_the_next_message() {
    for act in ["cancels", "takes-control"] {
        check(&format!(
            "
            1000 model checks-out c1 -> lease-1-0 until 16000 r1
            2000 user {act} u1 -> epoch 1
            2000 model checks-out c2 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            2000 other checks-out c3 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            60000 model checks-out c4 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            60000 user edits u2 a|z -> epoch 2 r2
            60000 model checks-out c5 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            60000 model hears u3 -> epoch 3 r2, promoted, reported -b +z
            60000 model checks-out c6 -> lease-2-3 until 75000 r2
            60000 model checks-out c7@0 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            60000 other checks-out c8@0 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            60000 model checks-out c9@2 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
            "
        ));
    }
}

#[test]
fn a_message_ends_one_turn_and_begins_the_next() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        2000 model hears m1 -> epoch 1 r1, promoted, reported nothing
        2000 model checks-out c2@0 -> LOCK_NOT_AVAILABLE/USER_ACTIVE
        2000 model checks-out c3@1 -> lease-2-1 until 17000 r1
        ",
    );
}

#[test]
fn a_turn_that_ends_gives_its_lease_back() {
    check(
        "
        1000 model hears m1 -> epoch 1 r1, promoted, reported nothing
        1000 model checks-out c1 -> lease-1-1 until 16000 r1
        2000 model writes c2 lease-1-1 a>c -> r2 +1 −1 until 16000
        3000 model ends e1 -> promoted, reported -a +c
        3000 model reads lease-1-1 -> LOCK_NOT_OWNED
        3000 other checks-out c3 -> lease-2-1 until 18000 r2
        3000 model ends e2 -> nothing new, reported nothing
        3000 other reads lease-2-1 -> r2 until 18000
        ",
    );
}

/// The loop of a turn may learn late that it is over. By then the next turn can hold the lease, under the same name.
#[test]
fn the_late_end_of_a_turn_leaves_the_next_one_its_lease() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        2000 model hears m1 -> epoch 1 r1, promoted, reported nothing
        2000 model checks-out c2 -> lease-2-1 until 17000 r1
        2000 model ends e1@0 0 r1 -> not promoted, reported nothing
        2000 model reads lease-2-1 -> r1 until 17000
        2000 model ends e2@1 -> nothing new, reported nothing
        2000 model reads lease-2-1 -> LOCK_NOT_OWNED
        ",
    );
}

/// An edit within the turn raises the epoch; the lease taken after it still belongs to the turn.
#[test]
fn a_turn_with_an_edit_in_it_gives_its_lease_back_and_promotes_nothing() {
    check(
        "
        1000 model hears m1 -> epoch 1 r1, promoted, reported nothing
        1000 user edits u1 a|z -> epoch 2 r2
        1000 model checks-out c1 -> lease-1-2 until 16000 r2
        1000 model ends e1 -> not promoted, reported -b +z
        1000 other checks-out c2 -> lease-2-2 until 16000 r2
        ",
    );
}

#[test]
fn an_artefact_is_promoted_only_where_it_differs_and_by_a_whole_turn() {
    check(
        "
        1000 model hears m1 -> epoch 1 r1, promoted, reported nothing
        1000 model ends e1 -> nothing new, reported nothing
        2000 model hears m2 -> epoch 2 r1, nothing new, reported nothing
        2000 model checks-out c1 -> lease-1-2 until 17000 r1
        2000 model writes c2 lease-1-2 a>c -> r2 +1 −1 until 17000
        2000 model ends e2 -> promoted, reported -a +c
        2000 model ends e3 -> nothing new, reported nothing
        3000 model hears m3 -> epoch 3 r2, nothing new, reported nothing
        3000 model checks-out c3 -> lease-2-3 until 18000 r2
        3000 model writes c4 lease-2-3 c>d -> r3 +1 −1 until 18000
        3000 user cancels u1 -> epoch 4
        3000 model ends e4 -> not promoted, reported -c +d
        4000 model hears m4 -> epoch 5 r3, promoted, reported nothing
        4000 model ends e5 3 r2 -> not promoted, reported nothing
        4000 model ends e6 5 r4 -> not promoted, reported nothing
        4000 model ends e7 6 r3 -> not promoted, reported nothing
        ",
    );
}

/// A and B and A again is two revisions, but nothing to promote and nothing to tell.
#[test]
fn a_text_that_has_come_back_is_not_promoted() {
    check(
        "
        1000 model hears m1 -> epoch 1 r1, promoted, reported nothing
        1000 user edits u1 a|z -> epoch 2 r2
        1000 user edits u2 a|b -> epoch 3 r3
        1000 model hears m2 -> epoch 4 r3, nothing new, reported nothing
        ",
    );
}

#[test]
fn each_conversation_gets_what_it_does_not_know() {
    check(
        "
        1000 user edits u1 a|z -> epoch 1 r2
        1000 user edits u2 a|y -> epoch 2 r3
        1000 model hears m1 -> epoch 3 r3, promoted, reported -b +y
        1000 model checks-out c1 -> lease-1-3 until 16000 r3
        1000 model writes c2 lease-1-3 y>x -> r4 +1 −1 until 16000
        1000 model writes c3 lease-1-3 x>w -> r5 +1 −1 until 16000
        1000 model ends e1 -> promoted, reported -y +w
        1000 model ends e2 -> nothing new, reported nothing
        1000 other hears m2 -> epoch 4 r5, nothing new, reported the whole
        1000 other hears m3 -> epoch 5 r5, nothing new, reported nothing
        1000 model hears m4 -> epoch 6 r5, nothing new, reported nothing
        ",
    );
}
