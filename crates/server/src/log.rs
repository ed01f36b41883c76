//! The log, on standard error.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::settings::{LogFormat, Settings};

/// Starts the log. Must be called once per process.
pub(crate) fn start(settings: &Settings) {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match settings.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let mut filter = EnvFilter::new(&settings.log);
    if let Ok(hidden) = HIDDEN.parse() {
        filter = filter.add_directive(hidden);
    }
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .with(Demotion)
        .init();
}

/// Spans of the PostgreSQL driver, whatever the level: that of a new connection has the URL of the database, with its password.
const HIDDEN: &str = "sea_orm::driver::sqlx_postgres=off";

/// Messages that the HTTP library logs at ERROR for malformed requests. Any client can send any number of them.
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
