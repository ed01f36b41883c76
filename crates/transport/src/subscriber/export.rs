//! The export of subscribers by mail as CSV (RFC 4180), which an import reads.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use actix_web::http::header::{self, ContentDisposition, DispositionParam, DispositionType};
use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::error::Error;
use allclear_application::page::Page;
use allclear_application::subscriber::import::NamedComponent;
use allclear_application::subscriber::{SubscriberFilter, Subscribers};
use allclear_application::timestamp;
use allclear_domain::subscriber::{Scope, Subscriber};
use futures_util::StreamExt as _;
use futures_util::stream::{once, try_unfold};
use uuid::Uuid;

use crate::limit::usage::{LongRequest, Usage};
use crate::request::caller::CanWrite;
use crate::response::csv_line::{guarded, line, plain};
use crate::response::problem::{ErrorResponses, Problem};

const HEADER: [&str; 5] = ["email", "components", "status", "isVerified", "createdAt"];

/// Returns the subscribers by mail as CSV, newest first, without those of single incidents.
#[utoipa::path(
    tag = "subscribers",
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/csv"),
        ErrorResponses
    ),
    security(("bearer" = ["editor"]))
)]
#[get("/export")]
pub(super) async fn export(
    caller: CanWrite,
    request: HttpRequest,
    usage: web::Data<Usage>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let organisation = caller.organisation.clone();
    let permit = usage
        .begin_long(&organisation, LongRequest::SubscriberExport, &request)
        .await?;
    let components = subscribers.named_components(&organisation).await?;
    let components = Arc::new(Cells::of(components));
    let first = line(&HEADER.map(str::to_owned))?;
    let pages = try_unfold(Some(None), move |before: Option<Option<Uuid>>| {
        let _held = &permit;
        let (organisation, subscribers) = (organisation.clone(), subscribers.clone());
        let components = Arc::clone(&components);
        async move {
            let Some(before) = before else {
                return Ok::<_, Error>(None);
            };
            let (text, next) = page(&subscribers, &organisation, &components, before).await?;
            Ok(Some((web::Bytes::from(text), next.map(Some))))
        }
    });
    let header = once(async move { Ok(web::Bytes::from(first)) });
    let disposition = ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::Filename("subscribers.csv".to_owned())],
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header(disposition)
        .streaming(header.chain(pages)))
}

/// The lines of a page of subscribers, and where the next page begins.
async fn page(
    subscribers: &Subscribers,
    organisation: &OrganisationId,
    components: &Cells,
    before: Option<Uuid>,
) -> Result<(Vec<u8>, Option<Uuid>), Error> {
    let page = Page {
        limit: Some(Page::MAX_LIMIT),
        before,
    };
    let all = SubscriberFilter::default();
    let listed = subscribers.list(organisation, &all, page).await?;
    let mut text = Vec::new();
    for subscriber in &listed.items {
        let is_exported = subscriber.scope.incident().is_none();
        if let Some(email) = subscriber.target.email().filter(|_| is_exported) {
            text.extend(line(&cells(email, subscriber, components))?);
        }
    }
    Ok((text, listed.next))
}

fn cells(email: &str, subscriber: &Subscriber, components: &Cells) -> [String; 5] {
    [
        guarded(email.to_owned()),
        guarded(components.chosen(&subscriber.scope)),
        subscriber.status.to_string(),
        subscriber.is_verified.to_string(),
        timestamp::text(&subscriber.created_at),
    ]
}

/// The components of an organisation as an import reads them.
struct Cells(Vec<(NamedComponent, String)>);

impl Cells {
    /// By name, or by code where the name would be read differently.
    fn of(components: Vec<NamedComponent>) -> Self {
        let mut same: HashMap<String, usize> = HashMap::new();
        for component in &components {
            *same.entry(component.name.clone()).or_default() += 1;
        }
        let cells = components.into_iter().map(|component| {
            let name = &component.name;
            let text = if same[name] > 1 || name.contains(';') || plain(name) != name {
                component.id.code().to_string()
            } else {
                name.clone()
            };
            (component, text)
        });
        Self(cells.collect())
    }

    /// The components of a scope. A group stands for the components that it has now.
    fn chosen(&self, scope: &Scope) -> String {
        let Some(choice) = scope.choice() else {
            return String::new();
        };
        let components: HashSet<_> = choice.components.iter().collect();
        let groups: HashSet<_> = choice.groups.iter().collect();
        let is_chosen = |component: &NamedComponent| {
            let in_group = component.group.is_some_and(|group| groups.contains(&group));
            in_group || components.contains(&component.id)
        };
        let found = self.0.iter().filter(|(component, _)| is_chosen(component));
        let texts: Vec<_> = found.map(|(_, text)| text.as_str()).collect();
        texts.join(";")
    }
}
