//! Standard output, which may be a closed pipe or a full disk.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a text and a line end.
///
/// # Errors
/// One line, if standard output cannot be written to. `println!` would panic.
pub(crate) fn print_line(text: impl Display) -> Result<(), String> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| not_written(&error))
}

/// The line about standard output that cannot be written to.
pub(crate) fn not_written(error: &io::Error) -> String {
    format!("standard output cannot be written to: {error}")
}

/// Prints a text that the process does not depend on. A failure is ignored.
pub(crate) fn print_if_possible(text: &str) {
    // The log says that the server has started, and may be read although standard output is not.
    let _ = print_line(text);
}

/// Prints a line to standard error. A failure is ignored: there is no other place to report it.
pub(crate) fn print_error(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
