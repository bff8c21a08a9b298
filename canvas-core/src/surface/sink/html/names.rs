//! Elements and attributes, by what they may do with a value.

/// Elements with content of another kind, or whose content depends on who reads it.
pub(super) const NOT_READ: &str = "
    applet embed frame frameset iframe listing math noembed noframes noscript object plaintext portal svg template
    xmp
";

/// Elements of which an attribute decides what is loaded and run.
pub(super) const RUNS: &str = "
    base link meta script
";

/// Elements whose content is text up to their end tag.
pub(super) const TEXT: &str = "
    script style textarea title
";

/// What an attribute may do with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    /// Shows or names something.
    Plain,
    /// Leads somewhere, or loads something that is not run.
    Url,
    /// May run it, or is not known.
    Refused,
}

const PLAIN: &str = "
    abbr align alt class color cols colspan content datetime dir for headers height high id label lang low max
    maxlength min name optimum placeholder role rows rowspan scope size span step title value width
";

const URLS: &str = "
    action cite formaction href src
";

/// Judges an attribute by its name in lower case.
pub(super) fn attribute(name: &str) -> Attribute {
    // The hooks of a surface, `data-gsv-`, choose actions and paths.
    let is_data = name.starts_with("data-") && !name.starts_with("data-gsv-");
    if has(PLAIN, name) || name.starts_with("aria-") || is_data {
        Attribute::Plain
    } else if has(URLS, name) {
        Attribute::Url
    } else {
        Attribute::Refused
    }
}

/// Whether one of these lists has a name in lower case.
pub(super) fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}
