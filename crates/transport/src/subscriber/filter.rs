//! The query parameters that select subscribers.

use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use allclear_application::subscriber::SubscriberFilter;
use allclear_domain::channel::Channel;
use allclear_domain::email::MAX_EMAIL_LENGTH;
use allclear_domain::subscriber::{ScopeKind, SubscriberStatus};
use allclear_domain::text;
use allclear_domain::validation::{FieldError, Invalid};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::request::field::{BOOLEAN_MESSAGE, CHOICE_MESSAGE};
use crate::request::query::query;
use crate::response::problem::Problem;

/// Which subscribers are returned. An empty parameter selects all.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct FilterQuery {
    /// Only mail addresses that contain this text, in any case.
    #[param(value_type = Option<String>, max_length = 254)]
    email: Option<String>,
    /// Only subscribers on this channel.
    #[param(value_type = Option<Channel>)]
    channel: Option<String>,
    /// Only subscribers with a scope of this kind.
    #[param(value_type = Option<ScopeKind>)]
    scope: Option<String>,
    /// Only subscribers with this status.
    #[param(value_type = Option<SubscriberStatus>)]
    status: Option<String>,
    /// `true` for only those subscribers to which messages fail.
    #[param(value_type = Option<bool>)]
    failing: Option<String>,
}

impl FilterQuery {
    fn read(self) -> Result<SubscriberFilter, Invalid> {
        let mut invalid = Invalid::default();
        let email = given(self.email.map(|text| text.trim().to_owned()));
        let text = email.as_deref().unwrap_or_default();
        invalid.check_rule("email", text::at_most(text, MAX_EMAIL_LENGTH));
        invalid.check_rule("email", text::no_nul(text));
        let filter = SubscriberFilter {
            email,
            channel: parsed("channel", self.channel, CHOICE_MESSAGE, &mut invalid),
            scope: parsed("scope", self.scope, CHOICE_MESSAGE, &mut invalid),
            status: parsed("status", self.status, CHOICE_MESSAGE, &mut invalid),
            failing: parsed("failing", self.failing, BOOLEAN_MESSAGE, &mut invalid)
                .unwrap_or(false),
        };
        invalid.into_result()?;
        Ok(filter)
    }
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn parsed<T: FromStr>(
    field: &str,
    text: Option<String>,
    message: &str,
    invalid: &mut Invalid,
) -> Option<T> {
    let value = given(text)?.parse().ok();
    if value.is_none() {
        invalid.add(FieldError::new(field, message));
    }
    value
}

/// The filter of a request.
#[derive(Debug)]
pub(super) struct Filter(pub(super) SubscriberFilter);

impl FromRequest for Filter {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let filter = query(request).and_then(|query: FilterQuery| Ok(query.read()?));
        ready(filter.map(Self))
    }
}
