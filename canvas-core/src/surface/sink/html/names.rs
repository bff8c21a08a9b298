//! Elements and attributes, by their possible effect on a value.

/// Elements with content of another kind, or with content that parsers treat differently.
pub(super) const NOT_READ: &str = "
    applet embed frame frameset iframe listing math noembed noframes noscript object plaintext portal svg template
    xmp
";

/// Elements with an attribute that decides which code is loaded and run.
pub(super) const RUNS: &str = "
    base link meta script
";

/// Elements whose content is text up to their end tag.
pub(super) const TEXT: &str = "
    script style textarea title
";

/// The effect of an attribute on its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    /// Displays or names an item.
    Plain,
    /// Refers to a place, or loads a resource that is not run.
    Url,
    /// May run the value, or is not known.
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

/// Whether one of these lists contains a name in lower case.
pub(super) fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}
