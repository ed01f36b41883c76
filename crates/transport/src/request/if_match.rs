//! Preconditions of edits: `If-Match` (RFC 9110, section 13.1.1).

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{self, EntityTag, Header};
use actix_web::{FromRequest, HttpRequest};
use allclear_application::precondition::Precondition;
use allclear_domain::organisation::Revision;

/// The versions that the request accepts. A malformed or foreign tag matches no version. Weak tags
/// count, because compressing proxies weaken tags, and a tag names a version, not bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IfMatch(pub(crate) Precondition);

impl FromRequest for IfMatch {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        if !request.headers().contains_key(header::IF_MATCH) {
            return ready(Ok(Self(Precondition::Any)));
        }
        ready(Ok(Self(match header::IfMatch::parse(request) {
            Ok(header::IfMatch::Any) => Precondition::Any,
            Ok(header::IfMatch::Items(tags)) => {
                let version = |tag: &EntityTag| tag.tag().parse().ok().map(Revision);
                Precondition::OneOf(tags.iter().filter_map(version).collect())
            }
            Err(_) => Precondition::OneOf(Vec::new()),
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn malformed_and_foreign_tags_match_no_version() {
        let demanded = |values: &[&str]| {
            let mut request = TestRequest::default();
            for value in values {
                request = request.append_header((header::IF_MATCH, *value));
            }
            let extracted = IfMatch::from_request(&request.to_http_request(), &mut Payload::None);
            let Ok(IfMatch(precondition)) = extracted.into_inner();
            precondition
        };
        let one_of = |versions: &[i64]| {
            Precondition::OneOf(versions.iter().copied().map(Revision).collect())
        };
        assert_eq!(demanded(&[]), Precondition::Any);
        assert_eq!(demanded(&["*"]), Precondition::Any);
        assert_eq!(demanded(&["\"7\""]), one_of(&[7]));
        assert_eq!(demanded(&["\"7\", \"8\"", "\"9\""]), one_of(&[7, 8, 9]));
        assert_eq!(demanded(&["W/\"7\""]), one_of(&[7]));
        for foreign in ["7", "\"x\"", ""] {
            assert_eq!(demanded(&[foreign]), one_of(&[]), "{foreign}");
        }
    }
}
