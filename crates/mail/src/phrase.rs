//! Headers that consist of a phrase and an identifier.

use std::fmt::{self, Write};

use email_encoding::headers::quoted_string;
use email_encoding::headers::writer::EmailWriter;
use lettre::message::header::{HeaderName, HeaderValue};

/// A header of a phrase (RFC 5322, section 3.2.5) and an identifier. The phrase is quoted, or
/// encoded (RFC 2047) where it is not ASCII; the identifier MUST be printable ASCII.
pub(crate) fn header(name: &'static str, phrase: &str, identifier: &str) -> HeaderValue {
    // Writing to a string cannot fail. The identifier alone is a valid header too.
    let encoded = encode(name, phrase, identifier).unwrap_or_else(|_| identifier.to_owned());
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        encoded.clone(),
        encoded,
    )
}

fn encode(name: &str, phrase: &str, identifier: &str) -> Result<String, fmt::Error> {
    let mut encoded = String::new();
    {
        let mut writer = EmailWriter::new(&mut encoded, name.len() + ": ".len(), 0, false);
        quoted_string::encode(phrase, &mut writer)?;
        writer.space();
        writer.folding().write_str(identifier)?;
    }
    Ok(encoded)
}
