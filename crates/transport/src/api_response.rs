//! Answers that succeed: `{"data": …}`.

use actix_web::http::header::{ETag, EntityTag};
use actix_web::{HttpResponse, HttpResponseBuilder};
use allclear_application::page::Listed;
use allclear_domain::organisation::Revision;
use serde::Serialize;
use utoipa::ToSchema;

/// What was asked for, and a word to show where there is one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer<T> {
    /// What was asked for.
    data: T,
    /// A sentence fit to show a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    /// Where a list goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
}

/// Where a list goes on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Meta {
    /// `before` of the part that follows; null after the last one.
    #[schema(required)]
    next: Option<String>,
}

/// What a delete answers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Deleted {
    /// What is gone.
    pub id: String,
}

/// What a delete of several things answers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AllDeleted {
    /// What is gone.
    pub ids: Vec<String>,
}

impl<T: Serialize> Answer<T> {
    /// Only data.
    pub(crate) const fn new(data: T) -> Self {
        Self {
            data,
            message: None,
            meta: None,
        }
    }

    /// With a sentence to show.
    pub(crate) const fn with_message(data: T, message: &'static str) -> Self {
        Self {
            data,
            message: Some(message),
            meta: None,
        }
    }

    /// 200.
    pub(crate) fn ok(&self) -> HttpResponse {
        HttpResponse::Ok().json(self)
    }

    /// 200 with the version for `If-Match`.
    pub(crate) fn item(&self, version: Revision) -> HttpResponse {
        versioned(HttpResponse::Ok(), version).json(self)
    }

    /// 201 with the version for `If-Match`.
    pub(crate) fn created(&self, version: Revision) -> HttpResponse {
        versioned(HttpResponse::Created(), version).json(self)
    }
}

/// A list. Where it goes on is said where a part was asked for, and wherever there is more.
pub(crate) fn list<T, U: Serialize>(
    listed: &Listed<T>,
    limited: bool,
    show: impl Fn(&T) -> U,
) -> HttpResponse {
    let meta = (limited || listed.next.is_some()).then(|| Meta {
        next: listed.next.map(|id| id.to_string()),
    });
    let data: Vec<U> = listed.items.iter().map(show).collect();
    Answer {
        data,
        message: None,
        meta,
    }
    .ok()
}

fn versioned(mut response: HttpResponseBuilder, version: Revision) -> HttpResponseBuilder {
    response.insert_header(ETag(EntityTag::new_strong(version.to_string())));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    use actix_web::body::to_bytes;
    use serde_json::{Value, json};
    use uuid::Uuid;

    #[actix_web::test]
    async fn a_list_says_that_there_is_more_also_where_no_part_was_asked_for() {
        let next = Uuid::from_u128(7);
        let cases = [
            (false, None, Value::Null),
            (false, Some(next), json!({"next": next.to_string()})),
            (true, None, json!({"next": null})),
        ];
        for (limited, next, expected) in cases {
            let listed = Listed {
                items: vec![1],
                next,
            };
            let body = list(&listed, limited, |item| *item).into_body();
            let body: Value = serde_json::from_slice(&to_bytes(body).await.unwrap()).unwrap();
            assert_eq!(body["meta"], expected);
        }
    }
}
