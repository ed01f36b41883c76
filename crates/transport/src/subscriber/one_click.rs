//! Unsubscribing by the button of a mail program (RFC 8058). The program or its provider's server
//! sends one POST request, without a page, a cookie or a redirect. The address is in the
//! `List-Unsubscribe` header of each mail.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ContentType};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, post, web};
use allclear_application::subscriber::Subscribers;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::SubscriberThrottle;
use super::visitor::{Nothing, SubscriberName, UNSUBSCRIBED, leave};
use crate::request::body::Raw;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::ApiResponse;
use crate::response::problem::{Problem, VisitorErrorResponses};
use crate::routes::Routes;

/// The field that confirms the intention. Programs that request every address in a mail do not send
/// it.
const FIELD: &str = "List-Unsubscribe";
const VALUE: &str = "One-Click";

/// The query parameters of the unsubscribe link.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OneClickQuery {
    /// Mail address of the subscriber.
    #[serde(default)]
    #[param(value_type = String, required = false, format = "email")]
    email: FieldInput<Text>,
    /// Identifier of the subscriber, in place of the address.
    #[serde(default)]
    #[param(value_type = String, required = false)]
    subscriber_id: FieldInput<Text>,
    /// Identifier of the organisation.
    #[serde(default)]
    #[param(value_type = String)]
    org_id: FieldInput<Text>,
    /// Code of the link.
    #[serde(default)]
    #[param(value_type = String)]
    unsubscribe_code: FieldInput<Text>,
}

/// The form in the request body; `multipart/form-data` is accepted too.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the body, of which there is only one")]
struct OneClick {
    /// Always `One-Click`.
    #[schema(rename = "List-Unsubscribe", pattern = "^One-Click$")]
    list_unsubscribe: String,
}

/// Unsubscribes an address by the button of a mail program (RFC 8058). The body is the form
/// `List-Unsubscribe=One-Click`. Repeated requests succeed.
#[utoipa::path(
    tag = "subscribers",
    params(OneClickQuery),
    request_body(content = OneClick, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = ApiResponse<Nothing>), VisitorErrorResponses)
)]
#[post("/unsubscribe/one-click")]
async fn one_click(
    request: HttpRequest,
    query: web::Query<OneClickQuery>,
    body: Raw,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
) -> Result<HttpResponse, Problem> {
    if !is_one_click_form(request.content_type(), &body.0) {
        return Err(Problem::bad_request(
            "The body must be the form List-Unsubscribe=One-Click",
        ));
    }
    let OneClickQuery {
        email,
        subscriber_id,
        org_id,
        unsubscribe_code,
    } = query.into_inner();
    let whose = SubscriberName {
        email,
        subscriber_id,
    };
    let link = (whose, org_id, unsubscribe_code);
    leave(&request, &subscribers, &throttle, link).await?;
    Ok(ApiResponse::with_message(Nothing, UNSUBSCRIBED).ok())
}

/// Redirects to the unsubscribe page, for people who open the link of a mail program without
/// one-click support. Changes nothing.
#[utoipa::path(
    tag = "subscribers",
    params(
        ("email" = Option<String>, Query, description = "Mail address of the subscriber"),
        ("orgId" = Option<String>, Query, description = "Identifier of the organisation"),
        ("unsubscribeCode" = Option<String>, Query, description = "Code of the link"),
    ),
    responses((status = 303, description = "Redirect to the unsubscribe page"))
)]
#[get("/unsubscribe/one-click")]
async fn to_page(request: HttpRequest) -> HttpResponse {
    let page = format!("/unsubscribe?{}", request.query_string());
    HttpResponse::build(StatusCode::SEE_OTHER)
        .insert_header((header::LOCATION, page))
        .insert_header(ContentType::plaintext())
        .finish()
}

/// Whether the body is the form of RFC 8058, section 3.1, in either encoding.
fn is_one_click_form(content_type: &str, body: &[u8]) -> bool {
    let Ok(body) = std::str::from_utf8(body) else {
        return false;
    };
    match content_type.to_ascii_lowercase().as_str() {
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

/// The routes of mail programs.
pub(super) fn routes(config: &mut impl Routes) {
    config.service(one_click).service(to_page);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_form_of_rfc_8058_is_accepted() {
        let form = "application/x-www-form-urlencoded";
        let multipart = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n";
        for form in [form, "Application/X-WWW-Form-Urlencoded"] {
            assert!(is_one_click_form(form, b"List-Unsubscribe=One-Click"));
        }
        assert!(is_one_click_form(
            "multipart/form-data",
            multipart.as_bytes()
        ));
        for (content_type, body) in [
            (form, ""),
            (form, "List-Unsubscribe=Two-Clicks"),
            ("application/json", "List-Unsubscribe=One-Click"),
            ("", "List-Unsubscribe=One-Click"),
            ("multipart/form-data", "One-Click"),
        ] {
            assert!(
                !is_one_click_form(content_type, body.as_bytes()),
                "{content_type} {body}"
            );
        }
        assert!(!is_one_click_form(form, &[0xff]));
    }
}
