//! The log, on standard error.

use std::fmt;
use std::io::{self, IsTerminal};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::settings::{LogFormat, Settings};

/// Starts the log. Must be called once per process.
pub(crate) fn start(settings: &Settings) {
    // Without the report of a failed write, which panics because it goes to standard error, too.
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .log_internal_errors(false);
    // A terminal keeps the default, which respects NO_COLOR.
    let lines = if io::stderr().is_terminal() {
        lines
    } else {
        lines.with_ansi(false)
    };
    let lines = match settings.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let mut filter = EnvFilter::new(&settings.log);
    for hidden in HIDDEN.iter().filter_map(|hidden| hidden.parse().ok()) {
        filter = filter.add_directive(hidden);
    }
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .with(Demotion)
        .init();
}

/// Parses the filter of the log. Returns it without spaces around its parts.
///
/// # Errors
/// What is wrong. A bare word must be a level: as a target it would switch off everything else.
pub(crate) fn filter(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let is_wrong = |part: &&&str| {
        let is_level = part.parse::<LevelFilter>().is_ok();
        let is_bare = !part.contains(['=', '[']) && !is_level;
        is_bare || !part.contains('[') && part.contains(char::is_whitespace)
    };
    if let Some(part) = parts.iter().find(is_wrong) {
        return Err(format!(
            "{part:?} must be off, error, warn, info, debug, trace, or crate=level"
        ));
    }
    let filter = parts.join(",");
    let parsed = EnvFilter::builder().parse(&filter);
    parsed.map_err(|_| "it must be a level, or crate=level separated by commas".to_owned())?;
    Ok(filter)
}

/// What is not logged, whatever the level. A span of the PostgreSQL driver has the URL of the
/// database, with its password. The check of certificates logs the names in those of webhooks,
/// which anybody chooses, as errors; the result of the message says enough.
const HIDDEN: [&str; 2] = [
    "sea_orm::driver::sqlx_postgres=off",
    "rustls_platform_verifier=off",
];

/// Messages that the HTTP library logs at ERROR for malformed requests. Any client can send any
/// number of them.
const MALFORMED: [&str; 4] = [
    "stream error: ",
    "MAX_BUFFER_SIZE unprocessed data reached",
    "Unfinished fragment ",
    "Attempted to convert invalid opcode",
];

/// Logs malformed requests and refused passkeys at DEBUG instead of ERROR.
struct Demotion;

impl<S: Subscriber> Layer<S> for Demotion {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let target = event.metadata().target();
        let of_passkey =
            target.starts_with("webauthn_rs") && *event.metadata().level() < Level::DEBUG;
        if !target.starts_with("actix_http") && !of_passkey {
            return true;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        if of_passkey {
            tracing::debug!(reason = message.0, "refused passkey");
            return false;
        }
        let is_malformed = MALFORMED.iter().any(|begin| message.0.starts_with(begin));
        if is_malformed {
            tracing::debug!(reason = message.0, "malformed request");
        }
        !is_malformed
    }
}

/// Collects the message of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_is_a_level_or_levels_of_crates() {
        for (text, expected) in [
            ("warn", "warn"),
            ("OFF", "OFF"),
            ("", ""),
            ("info, sqlx=warn,", "info,sqlx=warn"),
            ("warn,security=info", "warn,security=info"),
            (
                "allclear_server::tasks=debug",
                "allclear_server::tasks=debug",
            ),
        ] {
            assert_eq!(filter(text).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn filter_with_an_unknown_level_is_refused() {
        for text in [
            "verbose",
            "info,sqlx",
            "sqlx=loud",
            "info sqlx=warn",
            "=info",
        ] {
            assert!(filter(text).is_err(), "{text}");
        }
    }
}
