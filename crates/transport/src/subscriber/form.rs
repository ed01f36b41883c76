//! Subscribing by a plain HTML form, for browsers without scripts. The rules and limits are those
//! of the API.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, Resource, ResponseError, Route, web};
use allclear_application::subscriber::Subscribers;
use serde::Deserialize;

use super::input::SubscriberInput;
use super::{MAILED, SubscriberThrottle};
use crate::limit::client_network::client;
use crate::request::body::{BodyLimit, Raw};
use crate::request::field::{FieldInput, Text};
use crate::response::problem::Problem;
use crate::server::read as read_route;
use crate::status_page::markup::{SubscribeForm, SubscribePage};
use crate::status_page::page_cache::PageCache;
use crate::status_page::parse_organisation_id;
use crate::status_page::unavailable::page_unavailable;
use crate::web_app::WebApp;

/// Largest body in bytes; enough for an address of 254 percent-encoded characters.
const BODY_LIMIT: usize = 4 * 1024;
const FORM: &str = "application/x-www-form-urlencoded";
const METHODS: &str = "GET, HEAD, POST";

/// The fields of the form.
#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    email: FieldInput<Text>,
}

/// The page with the form, and the target of the form.
pub(crate) fn resource() -> Resource {
    page_and_target(
        "/status/{organisation}/subscribe",
        read_route().to(show),
        web::post().to(subscribe),
    )
}

/// A page with a plain form, and the target of the form.
pub(super) fn page_and_target(path: &str, page: Route, target: Route) -> Resource {
    web::resource(path)
        .app_data(BodyLimit(BODY_LIMIT))
        .route(page)
        .route(target)
        .default_service(web::to(|| async {
            Err::<HttpResponse, _>(Problem::method_not_allowed(METHODS))
        }))
}

/// `GET /status/{organisation}/subscribe`: the empty form.
async fn show(
    request: HttpRequest,
    organisation: web::Path<String>,
    pages: web::Data<PageCache>,
    app: web::Data<WebApp>,
) -> Result<HttpResponse, Problem> {
    let is_known = match parse_organisation_id(&organisation) {
        Ok(organisation) => match pages.page(&organisation).await {
            Ok(page) => page.is_some(),
            Err(error) => return page_unavailable(&request, error),
        },
        Err(_) => false,
    };
    if !is_known {
        return Ok(app.unknown(&request));
    }
    let form = SubscribePage::Form(SubscribeForm::default());
    let html = app.subscribe_page(&organisation, &form);
    Ok(page(&request, &app, html, None))
}

/// `POST /status/{organisation}/subscribe`: subscribes an address. The response is the same for
/// known and unknown addresses.
async fn subscribe(
    request: HttpRequest,
    organisation: web::Path<String>,
    body: Result<Raw, Problem>,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
    app: web::Data<WebApp>,
) -> Result<HttpResponse, Problem> {
    if is_cross_site(request.headers()) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "Please subscribe on the status page itself",
        ));
    }
    let fields = read(&request, body)?;
    let email = match &fields.email {
        FieldInput::Given(Text(email)) => email.clone(),
        _ => String::new(),
    };
    let organisation = organisation.into_inner();
    let entered = enter(&request, &subscribers, &throttle, (&organisation, fields)).await;
    let shown = match &entered {
        Ok(()) => SubscribePage::Sent(MAILED),
        Err(problem) if problem.status_code() == StatusCode::NOT_FOUND => {
            return Ok(app.unknown(&request));
        }
        Err(problem) => SubscribePage::Form(refused(email, problem)),
    };
    let html = app.subscribe_page(&organisation, &shown);
    Ok(page(&request, &app, html, entered.as_ref().err()))
}

/// Does the same as [`super::visitor`] does with JSON.
async fn enter(
    request: &HttpRequest,
    subscribers: &Subscribers,
    throttle: &SubscriberThrottle,
    (organisation, fields): (&str, Fields),
) -> Result<(), Problem> {
    let draft = SubscriberInput::of_email(fields.email).draft()?;
    throttle.subscribe.take_or_refuse(&client(request))?;
    subscribers
        .subscribe(&parse_organisation_id(organisation)?, draft)
        .await?;
    Ok(())
}

/// The form with the given address and the reason of the refusal.
fn refused(email: String, problem: &Problem) -> SubscribeForm {
    SubscribeForm {
        email,
        is_invalid: problem.status_code() == StatusCode::UNPROCESSABLE_ENTITY,
        reason: Some(reason(problem)),
    }
}

/// The reason of a refusal, for people.
pub(super) fn reason(problem: &Problem) -> String {
    match problem.retry_after() {
        Some(seconds) if problem.status_code() == StatusCode::TOO_MANY_REQUESTS => {
            format!("Too many requests. Try again in {}.", minutes(seconds))
        }
        _ => problem.to_string(),
    }
}

fn minutes(seconds: u64) -> String {
    match seconds.div_ceil(60) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

fn read(request: &HttpRequest, body: Result<Raw, Problem>) -> Result<Fields, Problem> {
    if !request.content_type().eq_ignore_ascii_case(FORM) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("The body must be {FORM}"),
        ));
    }
    let Raw(body) = body?;
    let fields = std::str::from_utf8(&body)
        .ok()
        .and_then(|body| web::Query::<Fields>::from_query(body).ok());
    fields
        .map(web::Query::into_inner)
        .ok_or_else(|| Problem::bad_request("The form is not well-formed"))
}

/// Whether a page of another site sent the form (Fetch Metadata Request Headers, section 2.3). The
/// product's pages send no `Origin` to compare, because they send no referrer.
fn is_cross_site(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site")
}

/// The response with a page; `problem` is why the request was refused.
pub(super) fn page(
    request: &HttpRequest,
    app: &WebApp,
    html: String,
    problem: Option<&Problem>,
) -> HttpResponse {
    let status = problem.map_or(StatusCode::OK, Problem::status_code);
    let mut response = HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(html);
    if let Some(seconds) = problem.and_then(Problem::retry_after) {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    app.put_page_policy(request.headers(), response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_time_is_shown_in_whole_minutes() {
        assert_eq!(minutes(1), "a minute");
        assert_eq!(minutes(60), "a minute");
        assert_eq!(minutes(61), "2 minutes");
    }
}
