//! Writes values into HTML.

use crate::surface::sink::part::{Part, Refused, Shown};

/// Writes values with character references.
pub(crate) fn write(parts: &[Part], values: &[Shown<'_>], out: &mut String) -> Result<(), Refused> {
    for part in parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            &Part::Value(value) => {
                let text = values[value].text.as_ref();
                if text.contains('\0') {
                    return Err(Refused { value, message: "has a NUL, which no page holds: remove it" });
                }
                escape(text, out);
            }
        }
    }
    Ok(())
}

/// Writes the value of a URL attribute.
pub(crate) fn write_url(parts: &[Part], values: &[Shown<'_>], out: &mut String) -> Result<(), Refused> {
    let mut url = String::new();
    let mut last = 0;
    for part in parts {
        match part {
            // Character references in it cannot come before the end of a scheme.
            Part::Literal(text) => url.push_str(text),
            &Part::Value(value) => {
                last = value;
                url.push_str(&values[value].text);
            }
        }
    }
    if runs_code(&url) {
        let message =
            "makes a URL of a scheme that may run code: pass one of http, https, mailto or tel, or a path";
        return Err(Refused { value: last, message });
    }
    write(parts, values, out)
}

/// Whether a URL, with references resolved, has a scheme that may run code. Browsers ignore controls and blanks before
/// it, and tabs and line ends in it.
pub(super) fn runs_code(url: &str) -> bool {
    let url = url.trim_start_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
    let Some((scheme, _)) = url.split_once(':') else { return false };
    let is_relative = scheme.contains(['/', '?', '#', '\\']);
    !is_relative && !["http", "https", "mailto", "tel"].iter().any(|s| scheme.eq_ignore_ascii_case(s))
}

fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Old browsers end an attribute at this character.
            '`' => out.push_str("&#96;"),
            _ => out.push(char),
        }
    }
}
