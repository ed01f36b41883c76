//! Edits made for a version: `If-Match` (RFC 9110, section 13.1.1).

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest};
use allclear_application::precondition::Precondition;
use allclear_domain::organisation::Revision;

/// What the request demands of the version it changes. A tag that is malformed or not ours matches no version. A weak one
/// counts: proxies that compress weaken tags on the way, and ours name versions, not bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IfMatch(pub(crate) Precondition);

impl FromRequest for IfMatch {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let values: Vec<&str> = request
            .headers()
            .get_all(header::IF_MATCH)
            .map(|value| value.to_str().unwrap_or_default())
            .collect();
        ready(Ok(Self(if values.is_empty() {
            Precondition::Any
        } else {
            demanded(&values)
        })))
    }
}

fn demanded(values: &[&str]) -> Precondition {
    let tags: Vec<&str> = values
        .iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    if tags == ["*"] {
        return Precondition::Any;
    }
    let version = |tag: &&str| {
        tag.strip_prefix("W/")
            .unwrap_or(tag)
            .strip_prefix('"')?
            .strip_suffix('"')?
            .parse()
            .ok()
            .map(Revision)
    };
    Precondition::OneOf(tags.iter().filter_map(version).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_versions_and_any_other_text_matches_none() {
        let one_of = |versions: &[i64]| {
            Precondition::OneOf(versions.iter().copied().map(Revision).collect())
        };
        assert_eq!(demanded(&["*"]), Precondition::Any);
        assert_eq!(demanded(&["\"7\""]), one_of(&[7]));
        assert_eq!(demanded(&["\"7\", \"8\"", "\"9\""]), one_of(&[7, 8, 9]));
        assert_eq!(demanded(&["W/\"7\""]), one_of(&[7]));
        for foreign in ["7", "\"x\"", ""] {
            assert_eq!(demanded(&[foreign]), one_of(&[]), "{foreign}");
        }
    }
}
