//! The public address of the installation.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use url::Url;

/// Parses `http://` or `https://`, a host and a port. An error does not repeat a password in
/// the address.
#[derive(Debug, Clone, Copy)]
pub(super) struct PublicUrl;

impl TypedValueParser for PublicUrl {
    type Value = Url;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Url, Error> {
        let text = value.to_string_lossy();
        parse(&text).map_err(|reason| {
            let name = argument.map(ToString::to_string).unwrap_or_default();
            let shown = if text.contains('@') {
                String::new()
            } else {
                format!(" '{text}'")
            };
            let message = format!("invalid value{shown} for '{name}': {reason}\n");
            Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

fn parse(text: &str) -> Result<Url, String> {
    let url = super::parse::web_address(text)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not contain a user or a password".to_owned());
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err("it must not contain a path, a query or a fragment".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheme_host_and_port_are_taken() {
        for good in [
            "https://status.example.com",
            "http://127.0.0.1:8080/",
            "http://[::1]:8080",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in [
            "https://ann@status.example.com",
            "https://:hunter2@status.example.com",
            "https://status.example.com/status",
            "https://status.example.com/?a=b",
            "https://status.example.com?",
            "https://status.example.com/#a",
            "ftp://status.example.com",
            "status.example.com",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn password_in_a_refused_address_is_not_printed() {
        let argument = Arg::new("public_url")
            .long("public-url")
            .value_parser(PublicUrl);
        let command = Command::new("allclear").no_binary_name(true).arg(argument);
        for bad in [
            "https://ann:hunter2@x.example",
            "nonsense://ann:hunter2@x.example",
        ] {
            let refused = command
                .clone()
                .try_get_matches_from(["--public-url", bad])
                .unwrap_err()
                .to_string();
            assert!(
                refused.contains("--public-url") && !refused.contains("hunter2"),
                "{refused}"
            );
        }
    }
}
