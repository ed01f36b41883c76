//! The links in messages to subscribers, for browsers without scripts. The page of a link shows a
//! plain form that posts the parameters of the link, which are in the query of the page. The rules
//! and limits are those of the API.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, Resource, ResponseError, web};
use allclear_application::link::status_page_path;
use allclear_application::subscriber::Subscribers;
use allclear_domain::channel::Channel;
use serde::Deserialize;

use super::SubscriberThrottle;
use super::form::{page, page_and_target, reason};
use super::visitor::{UNSUBSCRIBED, UnsubscriptionInput, confirm, confirmed, leave};
use crate::request::body::Raw;
use crate::request::query::query;
use crate::response::problem::Problem;
use crate::server::read;
use crate::status_page::markup::LinkOutcome;
use crate::status_page::parse_organisation_id;
use crate::web_app::{WebApp, fallback};

/// The pages of the links, which the web app serves, and the targets of their forms.
pub(crate) fn resources() -> [Resource; 3] {
    [
        ("/verify", web::post().to(verify)),
        ("/unsubscribe", web::post().to(unsubscribe)),
        ("/subscription", web::post().to(unsubscribe)),
    ]
    .map(|(path, target)| page_and_target(path, read().to(fallback), target))
}

/// `POST /verify`: verifies a target.
async fn verify(
    request: HttpRequest,
    _body: Raw,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
    app: web::Data<WebApp>,
) -> HttpResponse {
    let verified = match query(&request) {
        Ok(input) => confirm(&request, &subscribers, &throttle, input).await,
        Err(problem) => Err(problem),
    };
    match verified {
        Ok(verified) => {
            let channel = verified.subscriber.target.channel();
            let title = match channel {
                Channel::Email => "Email Verified!",
                _ => "Subscription Confirmed!",
            };
            let outcome = LinkOutcome::Confirmed {
                message: confirmed(channel),
                secret: verified.secret.map(|secret| secret.reveal()),
            };
            show(&request, &app, title, &outcome, None)
        }
        Err(problem) => refused(&request, &app, "Verification Failed", &problem),
    }
}

/// `POST /unsubscribe` and `POST /subscription`: ends a subscription.
async fn unsubscribe(
    request: HttpRequest,
    _body: Raw,
    subscribers: web::Data<Subscribers>,
    throttle: web::Data<SubscriberThrottle>,
    app: web::Data<WebApp>,
) -> HttpResponse {
    let left = match query(&request).map(UnsubscriptionInput::into_parts) {
        Ok(link) => leave(&request, &subscribers, &throttle, link).await,
        Err(problem) => Err(problem),
    };
    match left {
        Ok(()) => {
            let outcome = LinkOutcome::Unsubscribed(UNSUBSCRIBED);
            show(&request, &app, "Successfully Unsubscribed", &outcome, None)
        }
        Err(problem) => refused(&request, &app, "Unsubscribe Failed", &problem),
    }
}

fn refused(request: &HttpRequest, app: &WebApp, title: &str, problem: &Problem) -> HttpResponse {
    let reason = match problem.status_code() {
        // The problem names fields, which the link has filled in, not the visitor.
        StatusCode::UNPROCESSABLE_ENTITY => "This link is not complete".to_owned(),
        _ => reason(problem),
    };
    let outcome = LinkOutcome::Refused(reason);
    show(request, app, title, &outcome, Some(problem))
}

/// The page of an outcome; `problem` is why the request was refused.
fn show(
    request: &HttpRequest,
    app: &WebApp,
    title: &str,
    outcome: &LinkOutcome,
    problem: Option<&Problem>,
) -> HttpResponse {
    let is_found = problem.is_none_or(|problem| problem.status_code() != StatusCode::NOT_FOUND);
    let status_page = status_page(request).filter(|_| is_found);
    let html = app.link_page(title, outcome, status_page.as_deref());
    page(request, app, html, problem)
}

/// The parameter of a link that names the organisation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinkOrganisation {
    org_id: String,
}

/// Path of the status page that a link belongs to; `None` for a malformed link.
fn status_page(request: &HttpRequest) -> Option<String> {
    let LinkOrganisation { org_id } = query(request).ok()?;
    let organisation = parse_organisation_id(&org_id).ok()?;
    Some(status_page_path(organisation))
}
