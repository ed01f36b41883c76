//! Warns about connections to other machines without encryption.

use std::net::IpAddr;

use crate::settings::Settings;

/// Logs one line for each server on another machine that is configured without encryption.
///
/// # Errors
/// One line that says what is wrong with the address of a mail server.
pub(crate) fn warn(settings: &Settings) -> Result<(), String> {
    let database = allclear_persistence::database_url::clear_text_host(&settings.database());
    if let Some(host) = database.filter(|host| is_elsewhere(host)) {
        tracing::warn!(
            host,
            "the connection to PostgreSQL may go over the network unencrypted: set sslmode=verify-full in ALLCLEAR_DATABASE_URL"
        );
    }
    let redis = settings.redis.redis_url.as_ref();
    let redis = redis.and_then(|url| allclear_broadcast::clear_text_host(url.reveal()));
    if let Some(host) = redis.filter(|host| is_elsewhere(host)) {
        tracing::warn!(
            host,
            "the connection to Redis goes over the network unencrypted: use rediss:// in ALLCLEAR_REDIS_URL"
        );
    }
    let mail = settings.mail.server()?;
    // An exposed password has a warning of its own.
    let mail = mail.filter(|server| !server.exposes_password());
    let mail = mail.and_then(|server| server.clear_text_host().map(str::to_owned));
    if let Some(host) = mail.filter(|host| is_elsewhere(host)) {
        tracing::warn!(
            host,
            "mail may go over the network unencrypted: use smtps:// or ?tls=required in ALLCLEAR_SMTP_URL"
        );
    }
    Ok(())
}

/// Whether a host is another machine, judged by its name.
fn is_elsewhere(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = address
        .parse::<IpAddr>()
        .map_or(host == "localhost", |address| address.is_loopback());
    !is_loopback
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_this_machine() {
        for here in ["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
            assert!(!is_elsewhere(here), "{here}");
        }
        for elsewhere in ["10.0.0.1", "db", "localhost.example.com", "2001:db8::1"] {
            assert!(is_elsewhere(elsewhere), "{elsewhere}");
        }
    }
}
