//! `allclear.toml`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::Command;

use crate::private;

/// Name of the configuration file, in the working directory.
pub const FILE: &str = "allclear.toml";

/// Adds the values of a configuration file to a command as defaults. The environment and flags override them.
///
/// # Errors
/// One line that names the wrong line or key, or that other users can read the file's secrets and a change of its mode failed.
pub fn with_file(mut command: Command, file: &Path) -> Result<Command, String> {
    let mut opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(command),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    let mut text = String::new();
    opened
        .read_to_string(&mut text)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let table: toml::Table = toml::from_str(&text)
        .map_err(|error| format!("{}: {}", file.display(), error.message()))?;
    let mut holds_secrets = false;
    for (key, value) in table {
        let id = key
            .strip_prefix("ALLCLEAR_")
            .unwrap_or(&key)
            .to_ascii_lowercase();
        if !command
            .get_arguments()
            .any(|known| known.get_id() == id.as_str())
        {
            return Err(format!("{}: there is no setting {key}", file.display()));
        }
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Array(items) => {
                let items: Vec<_> = items.iter().filter_map(toml::Value::as_str).collect();
                items.join(",")
            }
            other => other.to_string(),
        };
        command = command.mut_arg(id, |argument| {
            // The output of --help is often shared.
            let secret = argument.is_hide_env_values_set();
            holds_secrets |= secret;
            argument.default_value(value).hide_default_value(secret)
        });
    }
    if holds_secrets {
        private::secret_file(file, &opened)?;
    }
    Ok(command)
}
