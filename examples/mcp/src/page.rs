//! Pages of lists.

use rmcp::model::{ErrorData, PaginatedRequestParams};

/// Items of one page.
pub(crate) const ITEMS: usize = 100;

/// The page of a list that a cursor names, and the cursor of the next.
pub(crate) fn of<T>(
    items: Vec<T>,
    request: Option<PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => match cursor.strip_prefix("from:").and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if number <= items.len() => number,
            _ => return Err(unknown(&cursor)),
        },
    };
    let next = (start + ITEMS < items.len()).then(|| format!("from:{}", start + ITEMS));
    Ok((items.into_iter().skip(start).take(ITEMS).collect(), next))
}

/// The error of a cursor that no list has given.
pub(crate) fn unknown(cursor: &str) -> ErrorData {
    let cursor: String = cursor.chars().take(80).collect();
    let message = format!("there is no cursor {cursor:?}: pass the nextCursor of a list, or none");
    ErrorData::invalid_params(message, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(count: usize, cursor: Option<&str>) -> Option<(usize, Option<String>)> {
        let request = PaginatedRequestParams::default().with_cursor(cursor.map(str::to_owned));
        let (items, next) = of((0..count).collect(), Some(request)).ok()?;
        Some((items.len(), next))
    }

    #[test]
    fn a_cursor_names_the_first_item_of_its_page() {
        assert_eq!(page(3, None), Some((3, None)));
        assert_eq!(page(100, None), Some((100, None)));
        assert_eq!(page(101, None), Some((100, Some("from:100".into()))));
        assert_eq!(page(101, Some("from:100")), Some((1, None)));
        assert_eq!(page(0, None), Some((0, None)));
    }

    #[test]
    fn cursors_that_no_list_has_given() {
        for cursor in ["", "x", "from:", "from:-1", "from:102", "from:99999999999999999999"] {
            assert_eq!(page(101, Some(cursor)), None, "{cursor:?}");
        }
    }
}
