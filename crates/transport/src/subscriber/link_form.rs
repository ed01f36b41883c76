//! The links in messages to subscribers, for browsers without scripts. The page of a link shows a
//! plain form that posts the parameters of the link, which are in the query of the page. The rules
//! and limits are those of the API.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, Resource, ResponseError, web};
use allclear_application::link::status_page_path;
use allclear_application::subscriber::Subscribers;
use allclear_domain::channel::Channel;
use serde::de::DeserializeOwned;

use super::SubscriberThrottle;
use super::form::{page, page_and_target, reason};
use super::visitor::{UNSUBSCRIBED, UnsubscriptionInput, confirm, confirmed, leave};
use crate::request::input::Raw;
use crate::response::problem::Problem;
use crate::server::read;
use crate::status_page::markup::LinkOutcome;
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
    let verified = match parameters(&request) {
        Ok(input) => confirm(&request, &subscribers, &throttle, input).await,
        Err(problem) => Err(problem),
    };
    match verified {
        Ok((organisation, verified)) => {
            let channel = verified.subscriber.target.channel();
            let title = match channel {
                Channel::Email => "Email Verified!",
                _ => "Subscription Confirmed!",
            };
            let done = LinkOutcome::Done {
                message: confirmed(channel),
                secret: verified.secret.map(|secret| secret.reveal()),
                next: (status_page_path(organisation), "View Status Page"),
            };
            page(&request, &app, app.link_page(title, &done), None)
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
    let left = match parameters(&request).map(UnsubscriptionInput::into_parts) {
        Ok(link) => leave(&request, &subscribers, &throttle, link).await,
        Err(problem) => Err(problem),
    };
    match left {
        Ok(()) => {
            let done = LinkOutcome::Done {
                message: UNSUBSCRIBED,
                secret: None,
                next: ("/".to_owned(), "Return Home"),
            };
            let html = app.link_page("Successfully Unsubscribed", &done);
            page(&request, &app, html, None)
        }
        Err(problem) => refused(&request, &app, "Unsubscribe Failed", &problem),
    }
}

/// The parameters of a link, from the query.
fn parameters<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Problem> {
    web::Query::<T>::from_query(request.query_string())
        .map(web::Query::into_inner)
        .map_err(|_| Problem::bad_request("The query is not well-formed"))
}

fn refused(request: &HttpRequest, app: &WebApp, title: &str, problem: &Problem) -> HttpResponse {
    let reason = match problem.status_code() {
        // The problem names fields, which the link has filled in, not the visitor.
        StatusCode::UNPROCESSABLE_ENTITY => "This link is not complete".to_owned(),
        _ => reason(problem),
    };
    let html = app.link_page(title, &LinkOutcome::Refused(reason));
    page(request, app, html, Some(problem))
}
