//! Many canvases on each store, a few of them.

use canvas_benches::scale::{Event, PHASES, Plan, SIZES, far, run};

/// Every phase of every store that is here runs to its end, and what was answered is read back by its driver.
#[test]
fn every_phase_runs_on_every_store() {
    let plan = Plan { canvases: 10, edits: 40, lines: 10, ..Plan::QUICK };
    let (mut phases, mut lacking) = (Vec::new(), Vec::new());
    let done = run(&plan, &mut |event| {
        match event {
            Event::Done(phase) => phases.push(phase.clone()),
            Event::Lacking { store, .. } => lacking.push(store),
        }
        Ok(())
    });
    done.expect("a temporary folder can be made");
    for known in canvas_benches::scale::KNOWN.iter().filter(|known| !lacking.contains(&known.name)) {
        let of_store = || phases.iter().filter(|phase| phase.store == known.name);
        let names: Vec<_> =
            of_store().filter(|phase| phase.size.is_none()).map(|phase| phase.phase).collect();
        // Recorded keystrokes may be lacking.
        let undo = of_store().find(|phase| phase.phase == "undo");
        assert_eq!(
            names,
            [&PHASES[..5], if undo.is_some() { &PHASES[7..] } else { &[] }].concat(),
            "{}",
            known.name
        );
        if let Some(undo) = undo {
            let typed = of_store().find(|phase| phase.phase == "type").expect("they were typed before");
            // Two of the first 400 replace a word by itself, which leaves nothing to undo.
            assert_eq!((typed.calls, undo.calls), (400, 398), "{}", known.name);
        }
        for phase in of_store() {
            assert!(phase.calls > 0 && phase.disk > Some(0), "{phase:?}");
        }
        let edits = of_store().find(|phase| phase.phase == "edit").expect("it is a phase");
        assert_eq!(edits.calls, 40, "{}", known.name);
        assert!(edits.put > 40 * 2_000, "an edit of a small text puts it whole: {edits:?}");
        for size in SIZES {
            let lines = of_store().find(|phase| phase.phase == "lines" && phase.size == Some(size));
            assert_eq!(lines.map(|phase| phase.calls), Some(10), "{}, {size} bytes", known.name);
        }
    }
    // One in memory is no server's.
    assert_eq!(far::compute(&phases).is_empty(), phases.iter().all(|phase| phase.store == "memory"));
}
