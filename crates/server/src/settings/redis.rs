//! Connection to Redis.

use std::path::PathBuf;

use clap::Args;

use super::secret_string::{SecretString, UrlWithScheme};

/// The Redis over which several nodes exchange changes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct RedisSettings {
    /// `redis://…`, or `rediss://…` for TLS, over which several nodes exchange changes [default:
    /// one node]
    #[arg(long, env = "ALLCLEAR_REDIS_URL", value_parser = UrlWithScheme(&["redis:", "rediss:"]), hide_env_values = true)]
    pub(crate) redis_url: Option<SecretString>,

    /// File of certificate authorities in PEM for the certificate of Redis [default: those of the
    /// operating system]
    #[arg(long, env = "ALLCLEAR_REDIS_CA_FILE")]
    redis_ca_file: Option<PathBuf>,
}

impl RedisSettings {
    /// The certificates of [`Self::redis_ca_file`], in PEM.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub(crate) fn authorities(&self) -> Result<Option<Vec<u8>>, String> {
        let (Some(path), Some(url)) = (&self.redis_ca_file, &self.redis_url) else {
            return Ok(None);
        };
        if !url.reveal().starts_with("rediss:") {
            return Err(
                "ALLCLEAR_REDIS_CA_FILE needs an ALLCLEAR_REDIS_URL that begins with rediss:"
                    .to_owned(),
            );
        }
        let wrong = |reason: &dyn std::fmt::Display| {
            format!("ALLCLEAR_REDIS_CA_FILE: {}: {reason}", path.display())
        };
        let pem = std::fs::read(path).map_err(|error| wrong(&error))?;
        if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
            return Err(wrong(&"there is no certificate in it"));
        }
        Ok(Some(pem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authorities(url: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        let settings = RedisSettings {
            redis_url: Some(url.into()),
            redis_ca_file: Some(file.into()),
        };
        settings.authorities()
    }

    #[test]
    fn certificates_that_cannot_be_used_are_named() {
        let missing = authorities("rediss://:hunter2@host", "/nowhere").unwrap_err();
        assert!(
            missing.starts_with("ALLCLEAR_REDIS_CA_FILE: /nowhere: "),
            "{missing}"
        );
        let empty = authorities("rediss://:hunter2@host", "/dev/null").unwrap_err();
        assert!(empty.ends_with("there is no certificate in it"), "{empty}");
        let clear_text = authorities("redis://:hunter2@host", "/dev/null").unwrap_err();
        assert!(
            clear_text.contains("rediss:") && !clear_text.contains("hunter2"),
            "{clear_text}"
        );
    }
}
