//! Cells of CSV files for spreadsheet programs.

/// A cell that no spreadsheet program takes for a formula (OWASP, CSV Injection).
pub(crate) fn guarded(cell: String) -> String {
    if cell.starts_with(is_formula) {
        format!("'{cell}")
    } else {
        cell
    }
}

/// A cell without the apostrophe that [`guarded`] adds.
pub(crate) fn plain(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(is_formula) => rest,
        _ => cell,
    }
}

const fn is_formula(character: char) -> bool {
    matches!(character, '=' | '+' | '-' | '@' | '\t' | '\r')
}
