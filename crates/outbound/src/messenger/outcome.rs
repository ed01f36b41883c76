//! What an attempt means for the delivery.

use std::time::SystemTime;

use allclear_application::message::MessageError;
use allclear_domain::retry::RetryRule;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::StatusCode;
use reqwest::header::RETRY_AFTER;

use crate::client::{RequestError, Response};

/// The outcome of a request without a response.
pub(super) fn of_failure(error: &RequestError) -> MessageError {
    match error {
        RequestError::Refused(refused) if refused.is_final() => MessageError::Permanent {
            reason: refused.to_string(),
        },
        RequestError::Refused(unknown) => temporary(unknown.to_string()),
        RequestError::TooLarge => MessageError::Permanent {
            reason: sentence(&error.to_string()),
        },
        _ => temporary(sentence(&error.to_string())),
    }
}

const fn temporary(reason: String) -> MessageError {
    MessageError::Temporary {
        reason,
        retry_after: None,
    }
}

/// The outcome of a response. Its status alone decides.
pub(super) fn of_response(response: &Response, now: DateTime<Utc>) -> Result<(), MessageError> {
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if status == StatusCode::GONE {
        return Err(MessageError::Gone);
    }
    let reason = if status.is_redirection() {
        "The response is a redirect, which is not followed".to_owned()
    } else {
        format!("The receiver responded with {}", status.as_u16())
    };
    let retry_after = response
        .header(RETRY_AFTER)
        .and_then(|text| wait(text, now));
    Err(MessageError::Temporary {
        reason,
        retry_after,
    })
}

/// The wait that a Retry-After header asks for (RFC 9110, section 10.2.3): seconds or a date. Some
/// receivers write fractions.
fn wait(text: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
    let text = text.trim();
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let wait = if text.bytes().all(is_number) {
        let seconds: f64 = text.parse().ok()?;
        let seconds = seconds.ceil().min(RetryRule::MAX_WAIT.as_seconds_f64());
        std::time::Duration::try_from_secs_f64(seconds)
            .ok()
            .and_then(|wait| TimeDelta::from_std(wait).ok())?
    } else {
        let date: SystemTime = httpdate::parse_http_date(text).ok()?;
        DateTime::<Utc>::from(date) - now
    };
    Some(wait.clamp(TimeDelta::zero(), RetryRule::MAX_WAIT))
}

fn sentence(clause: &str) -> String {
    let mut characters = clause.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "2026-03-05T16:22:41Z".parse().unwrap();
        for (text, expected) in [
            ("0", Some(0)),
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("0.3", Some(1)),
            ("999999999999999999999", Some(20 * 3600)),
            ("Thu, 05 Mar 2026 16:23:41 GMT", Some(60)),
            ("Thursday, 05-Mar-26 16:23:41 GMT", Some(60)),
            ("Thu, 05 Mar 2026 16:00:00 GMT", Some(0)),
            ("Thu, 05 Mar 2099 16:00:00 GMT", Some(20 * 3600)),
            ("", None),
            (".", None),
            ("-5", None),
            ("soon", None),
        ] {
            let expected = expected.map(TimeDelta::seconds);
            assert_eq!(wait(text, now), expected, "{text:?}");
        }
    }
}
