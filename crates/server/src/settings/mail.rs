//! The mail server and the sender's address.

use std::path::PathBuf;

use allclear_mail::sender;
use allclear_mail::smtp::Server;
use clap::Args;
use url::Url;

use super::secret_string::SecretString;

/// Default sender.
const FROM: &str = "Allclear <allclear@localhost>";

/// The mail server and the sender's address.
#[derive(Debug, Clone, Args)]
pub(crate) struct MailSettings {
    /// Mail server: `smtps://user:password@host`, or `smtp://…` with `?tls=required` or
    /// `?tls=opportunistic` for STARTTLS [default: each mail is a file in the data folder]
    #[arg(
        long,
        env = "ALLCLEAR_SMTP_URL",
        hide_env_values = true,
        help_heading = "Essentials"
    )]
    smtp_url: Option<SecretString>,

    /// File of certificate authorities in PEM for the mail server's certificate, in addition to
    /// those that browsers trust
    #[arg(long, env = "ALLCLEAR_SMTP_CA_FILE", help_heading = "Mail")]
    smtp_ca_file: Option<PathBuf>,

    /// Sender's address of every mail
    #[arg(
        long,
        env = "ALLCLEAR_MAIL_FROM",
        default_value = FROM,
        value_parser = from,
        help_heading = "Essentials"
    )]
    pub(crate) mail_from: String,
}

impl MailSettings {
    /// The mail server; `None` if mails are written to files.
    ///
    /// # Errors
    /// One line that says what is wrong, without the password. A value parser of clap would repeat
    /// the whole value.
    pub(crate) fn server(&self) -> Result<Option<Server>, String> {
        let authorities = self.authorities()?;
        let Some(url) = &self.smtp_url else {
            return Ok(None);
        };
        if url.reveal().is_empty() {
            return Err(
                "ALLCLEAR_SMTP_URL is empty: leave it out to write mails to files".to_owned(),
            );
        }
        let server = Server::parse(url.reveal(), authorities.as_deref());
        // An unencoded password often ends the host early.
        let hint = if Url::parse(url.reveal()).is_err() {
            "; a password must be percent-encoded"
        } else {
            ""
        };
        server
            .map(Some)
            .map_err(|error| format!("ALLCLEAR_SMTP_URL is invalid: {error}{hint}"))
    }

    /// Reads and checks the file with the certificates of authorities; `None` without the setting.
    fn authorities(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(path) = &self.smtp_ca_file else {
            return Ok(None);
        };
        let read = std::fs::read(path).map_err(|error| error.to_string());
        let checked = read.and_then(|pem| {
            Server::check_authorities(&pem)?;
            Ok(pem)
        });
        let named = |error| format!("ALLCLEAR_SMTP_CA_FILE: {}: {error}", path.display());
        checked.map(Some).map_err(named)
    }

    /// Whether mail goes to a mail server instead of files.
    pub(crate) const fn is_sent(&self) -> bool {
        self.smtp_url.is_some()
    }

    /// Whether replies to the sender's address are lost, because it is the default.
    pub(crate) fn has_default_sender(&self) -> bool {
        self.mail_from == FROM
    }
}

fn from(text: &str) -> Result<String, String> {
    sender::mailbox(text)?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    fn parse(flags: &[&str]) -> Result<MailSettings, String> {
        let command = MailSettings::augment_args(Command::new("allclear"));
        let matches = command.try_get_matches_from([&["allclear"], flags].concat());
        let matches = matches.map_err(|error| error.to_string())?;
        MailSettings::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn without_a_server_there_is_none() {
        let settings = parse(&[]).unwrap();
        assert!(settings.server().unwrap().is_none() && settings.has_default_sender());
    }

    #[test]
    fn a_bad_server_is_named_and_its_password_is_not() {
        for bad in [
            "smtp://ann:hunter2@",
            "http://ann:hunter2@mail.example.com",
            "smtp://ann:hunter2@x?tls=yes",
        ] {
            let refused = parse(&["--smtp-url", bad]).unwrap().server().unwrap_err();
            assert!(
                refused.starts_with("ALLCLEAR_SMTP_URL is invalid: ")
                    && !refused.contains("hunter2"),
                "{refused}"
            );
        }
        let settings = parse(&[
            "--smtp-url",
            "smtps://mail.example.com",
            "--smtp-ca-file",
            "/nowhere",
        ])
        .unwrap();
        assert!(
            settings
                .server()
                .unwrap_err()
                .starts_with("ALLCLEAR_SMTP_CA_FILE: /nowhere")
        );
        assert!(
            parse(&["--mail-from", "nobody"])
                .unwrap_err()
                .contains("it must be an address")
        );
    }

    #[test]
    fn a_file_without_a_certificate_is_named_with_its_setting() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for content in ["", "no certificate", broken] {
            std::fs::write(path, content).unwrap();
            for server in [
                &[][..],
                &["--smtp-url", "smtp://mail.example.com"],
                &["--smtp-url", "smtps://mail.example.com"],
            ] {
                let flags = [&["--smtp-ca-file", path], server].concat();
                let refused = parse(&flags).unwrap().server().unwrap_err();
                assert!(
                    refused.starts_with(&format!("ALLCLEAR_SMTP_CA_FILE: {path}: ")),
                    "{content} {server:?}: {refused}"
                );
            }
        }
    }

    #[test]
    fn the_settings_hold_a_password_that_they_do_not_print() {
        let settings = parse(&["--smtp-url", "smtps://ann:hunter2@mail.example.com"]).unwrap();
        assert!(!format!("{settings:?} {:?}", settings.server()).contains("hunter2"));
        let help = MailSettings::augment_args(Command::new("allclear"))
            .render_long_help()
            .to_string();
        assert!(help.contains("ALLCLEAR_SMTP_URL"));
    }
}
