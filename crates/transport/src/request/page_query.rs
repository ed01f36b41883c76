//! The query parameters `limit` and `before` of lists.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use allclear_application::page::Page;
use allclear_domain::validation::{FieldError, Invalid};
use serde::Deserialize;
use std::future::{Ready, ready};
use utoipa::IntoParams;
use uuid::Uuid;

use super::query::query;
use crate::response::problem::Problem;

/// The requested page of a list. Without parameters, the newest 500 items.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Largest number of items, 1 to 500. 500 if absent.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 500)]
    limit: Option<String>,
    /// Only items older than the item with this identifier.
    #[param(value_type = Option<String>, format = "uuid")]
    before: Option<String>,
}

impl PageQuery {
    const fn is_part(&self) -> bool {
        self.limit.is_some() || self.before.is_some()
    }

    fn page(&self) -> Result<Page, Invalid> {
        let mut invalid = Invalid::default();
        let mut refuse = |field: &str, message: String| {
            invalid.add(FieldError::new(field, message));
        };
        let limit = self.limit.as_ref().and_then(|text| {
            let limit = text
                .parse()
                .ok()
                .filter(|limit| (1..=Page::MAX_LIMIT).contains(limit));
            if limit.is_none() {
                refuse("limit", format!("Must be 1 to {}", Page::MAX_LIMIT));
            }
            limit
        });
        let before = self.before.as_ref().and_then(|text| {
            let before = Uuid::try_parse(text).ok();
            if before.is_none() {
                refuse("before", "Must be an identifier".to_owned());
            }
            before
        });
        invalid.into_result()?;
        Ok(Page {
            limit: Some(limit.unwrap_or(Page::MAX_LIMIT)),
            before,
        })
    }
}

/// The requested page of a list, and whether the client gave a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestedPage {
    pub(crate) page: Page,
    /// Whether the client requested a page, so that the response has `meta` even if no items
    /// follow.
    pub(crate) is_part: bool,
}

impl FromRequest for RequestedPage {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let requested = query(request).and_then(|query: PageQuery| {
            Ok(Self {
                page: query.page()?,
                is_part: query.is_part(),
            })
        });
        ready(requested)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::StatusCode;
    use actix_web::test::TestRequest;
    use actix_web::{ResponseError as _, web};

    use super::*;

    fn page(query: &str) -> Result<Page, Invalid> {
        web::Query::<PageQuery>::from_query(query).unwrap().page()
    }

    #[test]
    fn a_list_is_the_newest_500_unless_another_part_is_asked_for() {
        assert_eq!(
            page(""),
            Ok(Page {
                limit: Some(500),
                before: None
            })
        );
        assert_eq!(
            page("limit=500"),
            Ok(Page {
                limit: Some(500),
                before: None
            })
        );
        let id = Uuid::from_u128(7);
        assert_eq!(
            page(&format!("before={id}")),
            Ok(Page {
                limit: Some(500),
                before: Some(id)
            })
        );
    }

    #[test]
    fn invalid_limit_and_invalid_identifier_are_both_reported() {
        for bad in ["limit=0", "limit=501", "limit=x", "limit=-1"] {
            assert_eq!(
                page(bad),
                Err(Invalid::field("limit", "Must be 1 to 500")),
                "{bad}"
            );
        }
        assert_eq!(page("limit=0&before=x").unwrap_err().errors.len(), 2);
    }

    #[actix_web::test]
    async fn a_parameter_that_is_given_twice_is_not_the_fault_of_another_field() {
        let request = TestRequest::with_uri("/?before=a&before=b").to_http_request();
        let refused = RequestedPage::extract(&request).await.unwrap_err();
        assert_eq!(refused.status_code(), StatusCode::BAD_REQUEST);
    }
}
