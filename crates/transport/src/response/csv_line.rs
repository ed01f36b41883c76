//! Lines of CSV files for spreadsheet programs.

use allclear_application::error::Error;
use csv::Writer;

/// A line of cells (RFC 4180).
pub(crate) fn line(cells: &[String]) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(cells).map_err(Error::internal)?;
    writer
        .into_inner()
        .map_err(|error| Error::internal(error.to_string()))
}

/// A cell that no spreadsheet program takes for a formula (OWASP, CSV Injection).
pub(crate) fn guarded(cell: String) -> String {
    if is_formula(&cell) {
        format!("'{cell}")
    } else {
        cell
    }
}

/// A cell in which no spreadsheet program finds a formula, also if the program begins another cell
/// at each semicolon, tab or line break. [`plain`] does not restore it.
pub(crate) fn guarded_everywhere(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut is_beginning = true;
    for character in cell.chars() {
        if is_beginning && matches!(character, '=' | '+' | '-' | '@') {
            text.push('\'');
        }
        is_beginning = match character {
            ';' | '\t' | '\r' | '\n' => true,
            // A program may ignore these before a formula.
            '"' => is_beginning,
            _ => is_beginning && character.is_whitespace(),
        };
        text.push(character);
    }
    guarded(text)
}

/// A cell without the apostrophe that [`guarded`] adds.
pub(crate) fn plain(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest) => rest,
        _ => cell,
    }
}

/// Whether a spreadsheet program takes a text at the beginning of a cell for a formula.
pub(crate) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_an_import_reads_what_an_export_wrote() {
        for cell in ["=1+1", "+1", "-1", "@x", "\tx"] {
            let guarded = guarded(cell.to_owned());
            assert!(guarded.starts_with('\''), "{guarded}");
            assert_eq!(plain(&guarded), cell);
        }
        assert_eq!(guarded("ann".to_owned()), "ann");
        assert_eq!(plain("'ann"), "'ann");
    }

    #[test]
    fn no_part_of_a_cell_is_a_formula_for_programs_with_other_separators() {
        for (cell, expected) in [
            ("=1+1", "'=1+1"),
            ("\tx", "'\tx"),
            (" \"=1", " \"'=1"),
            ("x;=1+1;y", "x;'=1+1;y"),
            ("x; \"=1", "x; \"'=1"),
            ("x;;@y\t-1", "x;;'@y\t'-1"),
            ("x\r\n+1", "x\r\n'+1"),
            ("x;y=1, -1", "x;y=1, -1"),
        ] {
            assert_eq!(guarded_everywhere(cell), expected);
        }
    }
}
