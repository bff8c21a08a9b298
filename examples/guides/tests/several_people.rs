//! The program of the guide `several-people.md`.

#[expect(dead_code, reason = "the test has a file of its own")]
#[path = "../examples/several_people.rs"]
mod program;

use canvas_core::testing::block_on;
use canvas_core::turn::WorkMode;
use program::story;

/// In neither mode is a text lost, and each refused call has a code of the guide's table.
#[test]
fn every_turn_completes_where_people_and_assistants_work_together() {
    for (mode, completes) in [(WorkMode::Collaborative, true), (WorkMode::Exclusive, false)] {
        let (text, saved, assistants) = block_on(story(mode)).unwrap();
        assert_eq!(saved.len(), 20);
        for line in &saved {
            assert!(text.contains(&format!("\n{line}\n")), "{mode:?} has lost {line}");
        }
        for (section, (done, codes)) in &assistants {
            for item in 0..3 {
                let is_checked = text.contains(&format!("\n- {section} {item}, checked\n"));
                let is_open = text.contains(&format!("\n- {section} {item}\n"));
                assert_eq!((is_checked, is_open), (item < *done, item >= *done), "{mode:?} {section} {item}");
            }
            let known = ["OK", "STALE_EPOCH", "LOCK_NOT_AVAILABLE"];
            assert!(codes.iter().all(|code| known.contains(&code.as_str())), "{mode:?} {section}: {codes:?}");
            if completes {
                assert_eq!((*done, codes.len()), (3, 4), "{section}: {codes:?}");
            }
        }
        assert_eq!(assistants.values().all(|(done, _)| *done == 3), completes, "{mode:?}: {assistants:?}");
    }
}
