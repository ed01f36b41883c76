//! The address of a database, for messages and warnings.

use std::str::FromStr;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgSslMode};

use crate::sqlite_file;

/// Returns where a database is, without user and password: the file of SQLite, or the host and port
/// or the socket of PostgreSQL.
#[must_use]
pub fn place_of(url: &str) -> String {
    if url.starts_with("sqlite:") {
        return sqlite_file::path_of(url)
            .map_or_else(|| "in memory".to_owned(), |path| path.display().to_string());
    }
    match network_address(url) {
        Some((host, port)) => format!("{host}:{port}"),
        None => socket_of(url).unwrap_or_else(|| "ALLCLEAR_DATABASE_URL".to_owned()),
    }
}

/// Returns host and port of a PostgreSQL server; `None` for a local socket and for other databases.
#[must_use]
pub fn network_address(url: &str) -> Option<(String, u16)> {
    let options = postgresql(url)?;
    let is_network = options.get_socket().is_none() && !options.get_host().starts_with('/');
    is_network.then(|| (options.get_host().to_owned(), options.get_port()))
}

/// Returns the PostgreSQL host that may be reached without TLS; `None` if the connection is
/// encrypted, uses a local socket, or is to another database.
#[must_use]
pub fn clear_text_host(url: &str) -> Option<String> {
    let (host, _) = network_address(url)?;
    let is_encrypted = matches!(
        postgresql(url)?.get_ssl_mode(),
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull
    );
    (!is_encrypted).then_some(host)
}

fn socket_of(url: &str) -> Option<String> {
    let options = postgresql(url)?;
    let folder = options.get_socket().map(|path| path.display().to_string());
    Some(folder.unwrap_or_else(|| options.get_host().to_owned()))
}

fn postgresql(url: &str) -> Option<PgConnectOptions> {
    let is_other = url.starts_with("sqlite:");
    (!is_other)
        .then(|| PgConnectOptions::from_str(url).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_names_the_server_or_the_file_and_no_password() {
        for (url, place) in [
            ("sqlite:data/allclear.db", "data/allclear.db"),
            ("sqlite::memory:", "in memory"),
            ("postgres://ann:hunter2@db.example/x", "db.example:5432"),
            (
                "postgres://ann:hunter2@db.example:6432/x",
                "db.example:6432",
            ),
            ("postgres:///x?host=/run/postgresql", "/run/postgresql"),
        ] {
            assert_eq!(place_of(url), place, "{url}");
        }
    }

    #[test]
    fn only_a_network_connection_without_tls_has_a_clear_text_host() {
        for url in [
            "postgres://ann:secret@db.example/x",
            "postgres://db.example/x?sslmode=prefer",
            "postgresql://db.example/x?sslmode=disable",
        ] {
            assert_eq!(clear_text_host(url).as_deref(), Some("db.example"), "{url}");
        }
        for url in [
            "postgres://db.example/x?sslmode=require",
            "postgres://db.example/x?sslmode=verify-full&sslrootcert=/ca.pem",
            "postgres:///x?host=/run/postgresql",
            "sqlite:data/allclear.db",
        ] {
            assert_eq!(clear_text_host(url), None, "{url}");
        }
    }

    #[test]
    fn only_a_server_on_the_network_has_a_host_and_a_port() {
        let address = network_address("postgres://ann:hunter2@db.example/x");
        assert_eq!(address, Some(("db.example".to_owned(), 5432)));
        for url in ["postgres:///x?host=/run/postgresql", "sqlite:a.db"] {
            assert_eq!(network_address(url), None, "{url}");
        }
    }
}
