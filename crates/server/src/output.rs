//! Standard output, which may be a closed pipe or a full disk.

use std::error::Error;
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

/// An error as one line with its causes, for the operator. Callers over the network see less.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut line = one_line(&error.to_string());
    let mut next = error.source();
    while let Some(cause) = next {
        let text = one_line(&cause.to_string());
        // Some errors repeat their cause.
        if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
        next = cause.source();
    }
    line
}

/// A text as one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use allclear_application::error::{Error, Resource};

    use super::*;

    #[test]
    fn operators_see_why_something_is_unavailable() {
        let full = io::Error::other("database or disk\n is full");
        let error = Error::Unavailable(full.into());
        assert_eq!(
            with_causes(&error),
            "temporarily unavailable: database or disk is full"
        );
        assert_eq!(
            with_causes(&Error::NotFound(Resource::Account)),
            Error::NotFound(Resource::Account).to_string()
        );
    }
}
