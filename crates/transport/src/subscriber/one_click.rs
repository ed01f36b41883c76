//! Leaving by the button of a mail program (RFC 8058). The program, or its provider's server, posts once: there is no page,
//! no cookie and nothing to follow. The address is in each mail's `List-Unsubscribe`.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ContentType};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, post, web};
use allclear_application::subscriber::Subscribers;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::Throttle;
use super::visitor::{Nothing, leave};
use crate::api_response::Answer;
use crate::input::{FieldInput, Raw, Text};
use crate::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// What says that the post is meant: whoever merely tries every address they find does not send it.
const FIELD: &str = "List-Unsubscribe";
const VALUE: &str = "One-Click";

/// What the link carries, as that of the unsubscribe page does.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OneClickQuery {
    /// The subscriber's address.
    #[serde(default)]
    #[param(value_type = String, format = "email")]
    email: FieldInput<Text>,
    /// The organisation's identifier.
    #[serde(default)]
    #[param(value_type = String)]
    org_id: FieldInput<Text>,
    /// The code of the link.
    #[serde(default)]
    #[param(value_type = String)]
    unsubscribe_code: FieldInput<Text>,
}

/// The body, as a form; `multipart/form-data` is taken too.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the body, of which there is only one")]
struct OneClick {
    /// Always `One-Click`.
    #[schema(rename = "List-Unsubscribe", pattern = "^One-Click$")]
    list_unsubscribe: String,
}

/// Unsubscribes at the push of a mail program's button (RFC 8058), as often as it likes. The body is the form
/// `List-Unsubscribe=One-Click`.
#[utoipa::path(
    tag = "subscribers",
    params(OneClickQuery),
    request_body(content = OneClick, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = Answer<Nothing>), ErrorResponses)
)]
#[post("/unsubscribe/one-click")]
async fn one_click(
    request: HttpRequest,
    query: web::Query<OneClickQuery>,
    body: Raw,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<Throttle>,
) -> Result<HttpResponse, Problem> {
    if !is_meant(request.content_type(), &body.0) {
        return Err(Problem::bad_request(
            "The body must be the form List-Unsubscribe=One-Click",
        ));
    }
    let OneClickQuery {
        email,
        org_id,
        unsubscribe_code,
    } = query.into_inner();
    leave(
        &request,
        &subscribers,
        &throttle,
        (email, org_id, unsubscribe_code),
    )
    .await
}

/// Leads to the unsubscribe page whoever opens the link instead of posting to it: programs that do not know of one click
/// have people do so. By itself it changes nothing.
#[utoipa::path(
    tag = "subscribers",
    params(
        ("email" = Option<String>, Query, description = "The subscriber's address"),
        ("orgId" = Option<String>, Query, description = "The organisation's identifier"),
        ("unsubscribeCode" = Option<String>, Query, description = "The code of the link"),
    ),
    responses((status = 303, description = "To the unsubscribe page"))
)]
#[get("/unsubscribe/one-click")]
async fn to_page(request: HttpRequest) -> HttpResponse {
    let page = format!("/unsubscribe?{}", request.query_string());
    HttpResponse::build(StatusCode::SEE_OTHER)
        .insert_header((header::LOCATION, page))
        .insert_header(ContentType::plaintext())
        .finish()
}

/// Whether the body is the form that RFC 8058, section 3.1 names, in either of its two writings.
fn is_meant(content_type: &str, body: &[u8]) -> bool {
    let Ok(body) = std::str::from_utf8(body) else {
        return false;
    };
    match content_type {
        "application/x-www-form-urlencoded" => {
            let fields =
                web::Query::<Vec<(String, String)>>::from_query(body).map(web::Query::into_inner);
            fields
                .unwrap_or_default()
                .iter()
                .any(|(name, value)| name == FIELD && value == VALUE)
        }
        "multipart/form-data" => {
            let named = |line: &str| {
                line.to_ascii_lowercase()
                    .starts_with("content-disposition:")
                    && line.contains(FIELD)
            };
            body.lines().any(named) && body.lines().any(|line| line == VALUE)
        }
        _ => false,
    }
}

/// The calls of mail programs.
pub(super) fn calls(config: &mut impl Routes) {
    config.service(one_click).service(to_page);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_form_of_the_standard_is_meant() {
        let form = "application/x-www-form-urlencoded";
        let multipart = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n";
        assert!(is_meant(form, b"List-Unsubscribe=One-Click"));
        assert!(is_meant("multipart/form-data", multipart.as_bytes()));
        for (content_type, body) in [
            (form, ""),
            (form, "List-Unsubscribe=Two-Clicks"),
            ("application/json", "List-Unsubscribe=One-Click"),
            ("", "List-Unsubscribe=One-Click"),
            ("multipart/form-data", "One-Click"),
        ] {
            assert!(
                !is_meant(content_type, body.as_bytes()),
                "{content_type} {body}"
            );
        }
        assert!(!is_meant(form, &[0xff]));
    }
}
