//! The rows of a file.

use allclear_application::subscriber::import::ImportRow;
use allclear_domain::validation::Invalid;
use csv::{ByteRecord, ReaderBuilder};
use csv_core::ReadRecordResult;

use crate::response::csv_line::plain;

/// Most lines of a file: twice as many as an organisation may have subscribers by default.
const LINE_LIMIT: usize = 200_000;
/// Most columns of a row. The reader keeps a number of 8 bytes for each, several times.
const COLUMN_LIMIT: usize = 1_000;

/// What may separate cells. Spreadsheet programs of many countries write semicolons.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// The header of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    /// What separates cells.
    delimiter: u8,
    /// Number of cells.
    width: usize,
    email: usize,
    components: Option<usize>,
}

impl Header {
    /// Reads the header, and checks the numbers of lines and columns of the whole file.
    pub(super) fn of(file: &[u8]) -> Result<Self, Invalid> {
        let file = without_mark(file);
        if lines(file) > LINE_LIMIT {
            return Err(Invalid::field(
                "email",
                "The file has more than 200,000 lines: split it",
            ));
        }
        let delimiter = delimiter(file);
        if has_wide_row(file, delimiter) {
            return Err(Invalid::field(
                "email",
                "The file has a row of more than 1,000 columns",
            ));
        }
        let mut reader = reader(file, delimiter);
        let header = reader.byte_headers().cloned().unwrap_or_default();
        let place = |name: &str| {
            let is_it = |cell: &[u8]| cell.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
            header.iter().position(is_it)
        };
        let email = place("email");
        Ok(Self {
            delimiter,
            email: email.ok_or_else(|| {
                let needed = "The first line must name a column \"email\"";
                let separated = "Separate columns by commas, semicolons or tabs";
                Invalid::field("email", format!("{needed}. {separated}"))
            })?,
            components: place("components"),
            width: header.len(),
        })
    }

    /// The rows of the file.
    pub(super) fn rows(self, file: &[u8]) -> impl Iterator<Item = ImportRow> + Send {
        let Self {
            delimiter,
            width,
            email,
            components,
        } = self;
        let file = without_mark(file);
        let mut reader = reader(file, delimiter);
        let mut record = ByteRecord::new();
        let (mut line, mut counted) = (1, 0);
        std::iter::from_fn(move || {
            let read = reader.read_byte_record(&mut record);
            // The reader's own count knows `\n` alone, and begins a record before the line ends
            // that it skips.
            let position = record.position().map_or(0, csv::Position::byte);
            let mut begin = usize::try_from(position).unwrap_or_default().max(counted);
            while matches!(file.get(begin), Some(b'\r' | b'\n')) {
                begin += 1;
            }
            line += lines(&file[counted..begin]) as u64;
            counted = begin;
            match read {
                Ok(false) => None,
                Ok(true) => Some(ImportRow {
                    line,
                    content: content(&record, width, email, components),
                }),
                Err(_) => Some(ImportRow {
                    line,
                    content: Err("The line is not well-formed"),
                }),
            }
        })
    }
}

/// A file without the byte order mark of some programs.
fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)
}

/// Number of line ends: `\n`, `\r` or both, as the reader knows them.
fn lines(file: &[u8]) -> usize {
    let mut previous = None;
    let is_end = |byte: &&u8| {
        let before = previous.replace(**byte);
        **byte == b'\r' || (**byte == b'\n' && before != Some(b'\r'))
    };
    file.iter().filter(is_end).count()
}

/// The delimiter by which the first line has a column `email`; a comma if there is none.
fn delimiter(file: &[u8]) -> u8 {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let first_line = file.split(is_end).find(|line| !line.is_empty());
    let first_line = first_line.unwrap_or_default();
    let has_email = |delimiter: &u8| {
        let mut cells = first_line.split(|byte| byte == delimiter);
        cells.any(|cell| {
            let cell = cell.trim_ascii();
            cell.eq_ignore_ascii_case(b"email") || cell.eq_ignore_ascii_case(b"\"email\"")
        })
    };
    DELIMITERS.into_iter().find(has_email).unwrap_or(b',')
}

/// Whether a row has more columns than [`COLUMN_LIMIT`].
fn has_wide_row(file: &[u8], delimiter: u8) -> bool {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    // What the cells contain does not matter.
    let (mut cells, mut ends) = ([0; 4096], [0; COLUMN_LIMIT]);
    let (mut rest, mut columns) = (file, 0);
    loop {
        let (result, read, _, ended) = reader.read_record(rest, &mut cells, &mut ends);
        rest = &rest[read..];
        columns += ended;
        match result {
            ReadRecordResult::OutputEndsFull => return true,
            _ if columns > COLUMN_LIMIT => return true,
            ReadRecordResult::End => return false,
            ReadRecordResult::Record => columns = 0,
            ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull => {}
        }
    }
}

fn reader(file: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(file)
}

fn content(
    record: &ByteRecord,
    width: usize,
    email: usize,
    components: Option<usize>,
) -> Result<(String, String), &'static str> {
    let cell = |place: usize| {
        let bytes = record.get(place).unwrap_or_default();
        let text = std::str::from_utf8(bytes).map_err(|_| "The line is not UTF-8")?;
        Ok::<_, &'static str>(plain(text.trim()).to_owned())
    };
    // Some programs end a line with empty cells.
    if record
        .iter()
        .skip(width)
        .any(|cell| !cell.trim_ascii().is_empty())
    {
        return Err("The line has more cells than the first line");
    }
    let components = components.map(cell).transpose()?.unwrap_or_default();
    Ok((cell(email)?, components))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(file: &str) -> Vec<ImportRow> {
        let file = file.as_bytes();
        Header::of(file).unwrap().rows(file).collect()
    }

    fn row(line: u64, email: &str, components: &str) -> ImportRow {
        ImportRow {
            line,
            content: Ok((email.into(), components.into())),
        }
    }

    #[test]
    fn rows_are_read_by_the_names_of_the_header_with_their_lines() {
        assert_eq!(
            rows(
                "\u{feff}Components,EMAIL\nAPI;Web, ann@example.com \n\"a\nb\",bob@example.com\r\n"
            ),
            [
                row(2, "ann@example.com", "API;Web"),
                row(3, "bob@example.com", "a\nb"),
            ]
        );
        assert_eq!(
            rows("email\nann@example.com\n"),
            [row(2, "ann@example.com", "")]
        );
        assert_eq!(rows("email,components\n,\n"), [row(2, "", "")]);
        assert!(rows("email\n").is_empty());
    }

    #[test]
    fn cells_may_be_separated_by_semicolons_or_tabs() {
        for file in [
            "email;components\nann@example.com;\"API;Web\"\n",
            "\u{feff}\"Components\";\"Email\"\r\n\"API;Web\";ann@example.com\r\n",
            "\r\nnote, if any;email;components\r\n,;ann@example.com;\"API;Web\"\r\n",
            "components\temail\nAPI;Web\tann@example.com\n",
            "email,components,note; if any\nann@example.com,API;Web,\n",
        ] {
            let contents: Vec<_> = rows(file).into_iter().map(|row| row.content).collect();
            let expected = ("ann@example.com".to_owned(), "API;Web".to_owned());
            assert_eq!(contents, [Ok(expected)], "{file}");
        }
    }

    #[test]
    fn a_line_with_more_cells_than_the_header_is_an_error() {
        let wider = |line| ImportRow {
            line,
            content: Err("The line has more cells than the first line"),
        };
        assert_eq!(
            rows("email\nann@example.com,API\nbob@example.com, ,\neve@example.com,,API\n"),
            [wider(2), row(3, "bob@example.com", ""), wider(4)]
        );
    }

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r", "\r\n"] {
            let file = ["email", "", "ann@example.com", "\"bob", "\"", "", "eve", ""].join(end);
            let lines: Vec<_> = rows(&file).iter().map(|row| row.line).collect();
            assert_eq!(lines, [3, 4, 7], "{end:?}");
        }
    }

    #[test]
    fn a_file_needs_a_header() {
        for file in ["", "ann@example.com\n", "name\nann\n"] {
            assert!(Header::of(file.as_bytes()).is_err(), "{file}");
        }
    }

    #[test]
    fn a_file_has_a_largest_number_of_lines() {
        let largest = format!("email{}", "\n".repeat(LINE_LIMIT));
        assert!(Header::of(largest.as_bytes()).is_ok());
        assert!(Header::of(format!("{largest}\n").as_bytes()).is_err());
        // The reader ends a line at each of these, too.
        for end in ["\r", "\r\n"] {
            let largest = format!("email{}", end.repeat(LINE_LIMIT));
            assert!(Header::of(largest.as_bytes()).is_ok(), "{end:?}");
            assert!(
                Header::of(format!("{largest}{end}").as_bytes()).is_err(),
                "{end:?}"
            );
        }
    }

    #[test]
    fn a_row_has_a_largest_number_of_columns() {
        let cell = format!(",\"{}\n\"", "a".repeat(100));
        for cell in [",", &cell] {
            for row in ["email", "email\nann@example.com"] {
                let columns = |number| row.to_owned() + &cell.repeat(number - 1);
                assert!(Header::of(columns(COLUMN_LIMIT).as_bytes()).is_ok());
                let file = columns(COLUMN_LIMIT + 1) + "\nbob@example.com";
                assert!(Header::of(file.as_bytes()).is_err(), "{file}");
            }
        }
        let header = |columns: usize| format!("email{}", ";".repeat(columns - 1));
        assert!(Header::of(header(COLUMN_LIMIT).as_bytes()).is_ok());
        assert!(Header::of(header(COLUMN_LIMIT + 1).as_bytes()).is_err());
    }

    #[test]
    fn a_line_of_another_encoding_is_an_error_of_its_own() {
        let file = b"email\n\xff@example.com\nann@example.com\n";
        let rows: Vec<_> = Header::of(file).unwrap().rows(file).collect();
        assert_eq!(
            rows,
            [
                ImportRow {
                    line: 2,
                    content: Err("The line is not UTF-8"),
                },
                row(3, "ann@example.com", ""),
            ]
        );
    }
}
