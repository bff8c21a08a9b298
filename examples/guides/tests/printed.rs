//! What guides print of longer programs is what runs.

/// Lines that are neither blank nor a comment.
fn code_lines(program: &str) -> usize {
    program.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//")).count()
}

#[test]
fn guides_print_the_programs_that_run() {
    for (name, guide, program, most) in [
        (
            "live-updates.md",
            include_str!("../live-updates.md"),
            include_str!("../examples/live_updates.rs"),
            100,
        ),
        (
            "several-people.md",
            include_str!("../several-people.md"),
            include_str!("../examples/several_people.rs"),
            100,
        ),
        ("review.md", include_str!("../review.md"), include_str!("../examples/review.rs"), 100),
        ("history.md", include_str!("../history.md"), include_str!("../examples/history.rs"), 100),
        ("testing.md", include_str!("../testing.md"), include_str!("conformance.rs"), 50),
    ] {
        assert!(guide.contains(&format!("\n{program}```\n")), "copy the program into {name}");
        let lines = code_lines(program);
        assert!(lines <= most, "the program of {name} has {lines} lines, it promises at most {most}");
    }
}
