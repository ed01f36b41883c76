//! `allclear.toml`.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::Command;

use super::openid::PROVIDER_SETTING;
use crate::file_permissions;

/// Name of the configuration file, in the working directory.
pub(crate) const FILE: &str = "allclear.toml";

/// Adds the values of a configuration file to a command as defaults. The environment and flags
/// override them.
///
/// # Errors
/// One line that names the wrong line or key, or that other users can read the file's secrets and a
/// change of its mode failed.
pub(crate) fn with_file(mut command: Command, file: &Path) -> Result<Command, String> {
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
        .map_err(|error| format!("{}: {}", place_of(&error, file, &text), error.message()))?;
    let mut holds_secrets = false;
    let mut known = HashMap::new();
    let mut of_providers = Vec::new();
    for (key, value) in table {
        let id = key
            .strip_prefix("ALLCLEAR_")
            .unwrap_or(&key)
            .to_ascii_lowercase();
        if let Some(same) = known.insert(id.clone(), key.clone()) {
            let file = file.display();
            return Err(format!("{file}: {same} and {key} are the same setting"));
        }
        let is_setting = command
            .get_arguments()
            .any(|known| known.get_id() == id.as_str());
        // The settings of a provider begin with its name, which no argument can know.
        if let (false, Some(name)) = (is_setting, id.strip_prefix("oidc_")) {
            of_providers.push(format!("{name}={}", as_flag(value)));
            continue;
        }
        if !is_setting {
            return Err(format!("{}: there is no setting {key}", file.display()));
        }
        let value = as_flag(value);
        command = command.mut_arg(id, |argument| {
            // The output of --help is often shared.
            let secret = argument.is_hide_env_values_set();
            holds_secrets |= secret;
            argument.default_value(value).hide_default_value(secret)
        });
    }
    if !of_providers.is_empty() {
        holds_secrets = true;
        command = command.mut_arg(PROVIDER_SETTING, |argument| {
            argument.default_values(of_providers)
        });
    }
    if holds_secrets {
        file_permissions::secret_file(file, &opened)?;
    }
    Ok(command)
}

/// The file, and the line of an error in its text.
fn place_of(error: &toml::de::Error, file: &Path, text: &str) -> String {
    let file = file.display();
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("{file}, line {}", before.matches('\n').count() + 1),
        None => file.to_string(),
    }
}

/// A value as a flag has it.
fn as_flag(value: toml::Value) -> String {
    match value {
        toml::Value::String(text) => text,
        toml::Value::Array(items) => {
            let items: Vec<_> = items.into_iter().map(as_flag).collect();
            items.join(",")
        }
        other => other.to_string(),
    }
}
