//! Successful responses: `{"data": …}`.

use std::fmt::Display;

use actix_web::http::header::{ETag, EntityTag};
use actix_web::{HttpResponse, HttpResponseBuilder};
use allclear_application::page::Listed;
use allclear_domain::organisation::Revision;
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::page_query::RequestedPage;

/// A successful response: the data, and optionally a message for people.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApiResponse<T> {
    /// The requested data.
    data: T,
    /// Message for people; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    /// Where the list continues; absent if the whole list is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
}

/// Where a list continues.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Meta {
    /// Value of `before` for the next page; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

/// Result of deleting one item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Deleted {
    /// Identifier of the deleted item.
    pub id: String,
}

/// Result of deleting several items.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AllDeleted {
    /// Identifiers of the deleted items.
    pub ids: Vec<String>,
}

impl<T: Serialize> ApiResponse<T> {
    pub(crate) const fn new(data: T) -> Self {
        Self {
            data,
            message: None,
            meta: None,
        }
    }

    pub(crate) const fn with_message(data: T, message: &'static str) -> Self {
        Self {
            data,
            message: Some(message),
            meta: None,
        }
    }

    pub(crate) fn ok(&self) -> HttpResponse {
        HttpResponse::Ok().json(self)
    }

    /// 200 with the version as `ETag`, for `If-Match`.
    pub(crate) fn item(&self, version: Revision) -> HttpResponse {
        versioned(HttpResponse::Ok(), version).json(self)
    }

    /// 201 with the version as `ETag`, for `If-Match`.
    pub(crate) fn created(&self, version: Revision) -> HttpResponse {
        versioned(HttpResponse::Created(), version).json(self)
    }
}

impl ApiResponse<Deleted> {
    /// 200 with the identifier of the deleted item.
    pub(crate) fn deleted(id: impl Display) -> HttpResponse {
        Self::new(Deleted { id: id.to_string() }).ok()
    }
}

/// A list. `meta` is present if the client requested a page, and always if more items follow.
pub(crate) fn list<T, U: Serialize>(
    listed: &Listed<T>,
    requested: RequestedPage,
    show: impl Fn(&T) -> U,
) -> HttpResponse {
    body_of(listed, requested, show).ok()
}

/// A list with a version of its own as `ETag`, for `If-Match`.
pub(crate) fn versioned_list<T, U: Serialize>(
    listed: &Listed<T>,
    requested: RequestedPage,
    version: Revision,
    show: impl Fn(&T) -> U,
) -> HttpResponse {
    body_of(listed, requested, show).item(version)
}

fn body_of<T, U: Serialize>(
    listed: &Listed<T>,
    requested: RequestedPage,
    show: impl Fn(&T) -> U,
) -> ApiResponse<Vec<U>> {
    let meta = (requested.is_part || listed.next.is_some()).then(|| Meta {
        next: listed.next.map(|id| id.to_string()),
    });
    ApiResponse {
        data: listed.items.iter().map(show).collect(),
        message: None,
        meta,
    }
}

fn versioned(mut response: HttpResponseBuilder, version: Revision) -> HttpResponseBuilder {
    response.insert_header(ETag(EntityTag::new_strong(version.to_string())));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    use actix_web::body::to_bytes;
    use allclear_application::page::Page;
    use serde_json::{Value, json};
    use uuid::Uuid;

    #[actix_web::test]
    async fn list_says_that_more_items_follow_even_without_a_limit() {
        let next = Uuid::from_u128(7);
        let cases = [
            (false, None, Value::Null),
            (false, Some(next), json!({"next": next.to_string()})),
            (true, None, json!({"next": null})),
        ];
        for (is_part, next, expected) in cases {
            let listed = Listed {
                items: vec![1],
                next,
            };
            let page = Page::default();
            let requested = RequestedPage { page, is_part };
            let body = list(&listed, requested, |item| *item).into_body();
            let body: Value = serde_json::from_slice(&to_bytes(body).await.unwrap()).unwrap();
            assert_eq!(body["meta"], expected);
        }
    }
}
