//! The banner that other sites embed: a script of a few hundred bytes, and the page in the frame
//! that it inserts.

use actix_web::{HttpRequest, HttpResponse, web};
use allclear_application::status_page::Snapshot;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::rollup::{Indicator, PublicStatus, Rollup, impact};
use allclear_domain::tone::Tone;
use maud::{Markup, html};

use crate::response::problem::Problem;
use crate::status_page::markup::{is_unresolved, tone_name};
use crate::status_page::page_cache::PageCache;
use crate::status_page::ready_response::boxed;
use crate::status_page::response::PublicResponses;
use crate::web_app::WebApp;
use crate::web_app::page_template::fill;
use crate::web_app::sprite::Sprite;

/// Icon of pages without one.
const NO_ICON: &str = "";

/// The HTML of the frame's page.
pub(crate) fn page(template: &str, snapshot: &Snapshot) -> String {
    let head = html! { title { (snapshot.organisation.page_title) " status" } };
    fill(
        template,
        &head,
        NO_ICON,
        (&Sprite::default(), &banner(snapshot), &Markup::default()),
    )
}

/// The content of the banner.
struct BannerState<'a> {
    headline: &'a str,
    tone: Tone,
    /// Title of an incident or a maintenance.
    title: Option<&'a str>,
    /// Number of open incidents besides the one with this title.
    others: usize,
    is_trouble: bool,
}

impl<'a> BannerState<'a> {
    fn of(snapshot: &'a Snapshot) -> Self {
        let statuses = snapshot.components.iter();
        let rollup = Rollup::of(
            statuses.map(|shown| PublicStatus::new(shown.status, shown.under_maintenance)),
        );
        let open = || {
            let incidents = snapshot.incidents.iter();
            incidents.filter(|incident| is_unresolved(incident))
        };
        // Newest first. Of several maxima, the last one is returned.
        let incident = open().rev().max_by_key(|incident| {
            let components = incident.components.iter();
            impact(components.map(|affected| affected.status))
        });
        let mut maintenances = snapshot.maintenances.iter();
        let maintenance = maintenances.find(|shown| shown.status == MaintenanceStatus::InProgress);
        // Not every incident and maintenance has a component.
        let (headline, tone) = match rollup.indicator {
            Indicator::None | Indicator::Maintenance if incident.is_some() => {
                ("Open Incident", Tone::Degraded)
            }
            Indicator::None if maintenance.is_some() => {
                ("Maintenance In Progress", Tone::Maintenance)
            }
            indicator => (rollup.description, indicator.into()),
        };
        Self {
            headline,
            tone,
            title: incident
                .map(|incident| incident.title.as_str())
                .or(maintenance.map(|maintenance| maintenance.title.as_str())),
            others: open().count().saturating_sub(1),
            is_trouble: tone != Tone::Operational,
        }
    }
}

/// The banner, which its script replaces after a change.
fn banner(snapshot: &Snapshot) -> Markup {
    let organisation = &snapshot.organisation;
    let state = BannerState::of(snapshot);
    html! {
        div role="status" data-live data-revision=(snapshot.revision)
            data-events={ "/api/v1/status/" (organisation.id) "/events" }
            data-trouble=(state.is_trouble) data-tone=(tone_name(state.tone)) {
            a href=(organisation.url) target="_blank" rel="noopener" {
                strong { (state.headline) }
                span class="detail" {
                    span dir="auto" { (state.title.unwrap_or(&organisation.page_title)) }
                    @if state.others > 0 { span { " and " (state.others) " more" } }
                }
                span class="more" { "View status" }
            }
        }
    }
}

/// `GET /status/{organisation}/embed`: the page in the frame.
pub(crate) async fn frame(
    request: HttpRequest,
    organisation: web::Path<String>,
    pages: web::Data<PageCache>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let page = pages.require(&organisation).await?;
    Ok(boxed(responses.embed(page.embed(), request.headers())))
}

/// `GET /status/{organisation}/embed.js`: the script that inserts the frame.
pub(crate) async fn script(
    request: HttpRequest,
    organisation: web::Path<String>,
    pages: web::Data<PageCache>,
    app: web::Data<WebApp>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    pages.require(&organisation).await?;
    Ok(boxed(
        responses.embeddable(app.embed_script(), request.headers()),
    ))
}
