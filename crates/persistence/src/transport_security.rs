//! Encryption of the connection to the database.

use std::str::FromStr;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgSslMode};

/// Returns the PostgreSQL host that may be reached without TLS; `None` if the connection is
/// encrypted, uses a local socket, or is to another database.
#[must_use]
pub fn clear_text_host(url: &str) -> Option<String> {
    if url.starts_with("sqlite:") {
        return None;
    }
    let options = PgConnectOptions::from_str(url).ok()?;
    let is_encrypted = matches!(
        options.get_ssl_mode(),
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull
    );
    let is_network = options.get_socket().is_none() && !options.get_host().starts_with('/');
    (is_network && !is_encrypted).then(|| options.get_host().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_network_connection_without_tls_has_a_clear_text_host() {
        let host = |url| clear_text_host(url);
        for url in [
            "postgres://ann:secret@db.example/x",
            "postgres://db.example/x?sslmode=prefer",
            "postgresql://db.example/x?sslmode=disable",
        ] {
            assert_eq!(host(url).as_deref(), Some("db.example"), "{url}");
        }
        for url in [
            "postgres://db.example/x?sslmode=require",
            "postgres://db.example/x?sslmode=verify-full&sslrootcert=/ca.pem",
            "postgres:///x?host=/run/postgresql",
            "sqlite:data/allclear.db",
        ] {
            assert_eq!(host(url), None, "{url}");
        }
    }
}
