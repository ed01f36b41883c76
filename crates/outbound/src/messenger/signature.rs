//! Signatures of Standard Webhooks.

use allclear_application::message::{MessageError, SigningSecret};
use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};

/// The headers of one attempt: the message's identifier, the attempt's time, and one signature for
/// each secret.
pub(super) fn headers(
    id: &str,
    secrets: &[SigningSecret],
    now: DateTime<Utc>,
    body: &str,
) -> Result<HeaderMap, MessageError> {
    let signatures: Option<Vec<_>> = secrets
        .iter()
        .map(|secret| sign(&secret.0, id, now.timestamp(), body))
        .collect();
    let signatures = signatures.filter(|signatures| !signatures.is_empty());
    let signatures = signatures.ok_or_else(unsigned)?.join(" ");
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (HEADER_WEBHOOK_ID, id),
        (HEADER_WEBHOOK_TIMESTAMP, &now.timestamp().to_string()),
        (HEADER_WEBHOOK_SIGNATURE, &signatures),
    ] {
        let value = HeaderValue::from_str(value).map_err(|_| unsigned())?;
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

fn sign(secret: &[u8], id: &str, timestamp: i64, body: &str) -> Option<String> {
    let webhook = Webhook::from_bytes(secret.to_vec()).ok()?;
    webhook.sign(id, timestamp, body.as_bytes()).ok()
}

fn unsigned() -> MessageError {
    MessageError::Temporary {
        reason: "The message cannot be signed".to_owned(),
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp(1_649_367_553, 999_000_000).unwrap();

    #[test]
    fn signature_is_the_one_of_the_specification() {
        // `whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD`
        let secret = [
            0x0b, 0x61, 0x55, 0xb0, 0x14, 0x08, 0x86, 0xbb, 0x1c, 0x0a, 0x19, 0x50, 0x20, 0xc5,
            0x7e, 0x6f, 0x9b, 0x12, 0x62, 0xca, 0x68, 0x6f, 0xba, 0x03,
        ];
        let body = r#"{"email":"test@example.com","username":"test_user"}"#;
        let signature = sign(
            &secret,
            "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
            1_649_367_553,
            body,
        );
        let expected = "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=";
        assert_eq!(signature.as_deref(), Some(expected));
    }

    #[test]
    fn every_secret_signs_and_the_newest_is_first() {
        let secrets = [SigningSecret([1; 32]), SigningSecret([2; 32])];
        let both = headers("msg_1", &secrets, NOW, "{}").unwrap();
        let alone = |secret| {
            let headers = headers("msg_1", &[secret], NOW, "{}").unwrap();
            headers["webhook-signature"].to_str().unwrap().to_owned()
        };
        let [newest, oldest] = secrets;
        let expected = format!("{} {}", alone(newest), alone(oldest));
        assert_eq!(both["webhook-signature"], expected);
        assert_eq!(both["webhook-id"], "msg_1");
        assert_eq!(both["webhook-timestamp"], "1649367553");
    }

    #[test]
    fn message_without_a_secret_is_not_sent() {
        assert!(headers("msg_1", &[], NOW, "{}").is_err());
    }
}
