//! Badges: small pictures of the status of a page or a component, for readmes and other sites.
//!
//! A badge is drawn for each request, because its label is any text of the request: cached
//! pictures would fill the memory. Everything else comes from the cached page, so no badge
//! reads the database.

mod contents;
mod drawing;
mod text_width;

use actix_web::{HttpRequest, HttpResponse, web};
use allclear_domain::text::{one_line, trimmed};
use allclear_domain::tone::Tone;
use allclear_domain::uptime::{BAR_DAYS, Percentage};
use allclear_domain::validation::{FieldError, Invalid};
use serde::Deserialize;

pub(crate) use self::contents::BadgeContents;
use self::drawing::{Badge, BadgeStyle, draw};
use crate::response::problem::Problem;
use crate::status_page::markup::uptime_digits;
use crate::status_page::page_cache::PageCache;
use crate::status_page::ready_response::{ReadyResponse, boxed};
use crate::status_page::response::PublicResponses;

/// Maximum length of a label, in characters.
const LABEL_LENGTH: usize = 100;

/// Parameters of a badge.
#[derive(Debug, Deserialize)]
pub(crate) struct BadgeQuery {
    style: Option<String>,
    label: Option<String>,
    metric: Option<String>,
    days: Option<String>,
}

/// The checked query.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    style: BadgeStyle,
    label: Option<String>,
    metric: Metric,
}

/// What the right part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Metric {
    /// The current status.
    Status,
    /// Uptime over this many days.
    Uptime(u64),
}

impl BadgeQuery {
    fn read(self) -> Result<Wanted, Invalid> {
        let mut invalid = Invalid::default();
        let mut refuse = |field: &str, message: String| {
            invalid.add(FieldError::new(field, message));
        };
        let style = match self.style.as_deref() {
            None | Some("flat") => BadgeStyle::Flat,
            Some("flat-square") => BadgeStyle::FlatSquare,
            Some(_) => {
                refuse("style", "Must be flat or flat-square".to_owned());
                BadgeStyle::Flat
            }
        };
        let days = self.days.as_deref().map_or(Some(BAR_DAYS), days);
        if days.is_none() {
            refuse("days", format!("Must be 1 to {BAR_DAYS}"));
        }
        let metric = match self.metric.as_deref() {
            None | Some("status") => Metric::Status,
            Some("uptime") => Metric::Uptime(days.unwrap_or(BAR_DAYS)),
            Some(_) => {
                refuse("metric", "Must be status or uptime".to_owned());
                Metric::Status
            }
        };
        let label = self.label.map(|label| trimmed(&label));
        if let Some(label) = &label {
            if label.chars().nth(LABEL_LENGTH).is_some() {
                refuse(
                    "label",
                    format!("Must be at most {LABEL_LENGTH} characters"),
                );
            } else if one_line(label).is_err() {
                refuse("label", "Must be one line".to_owned());
            }
        }
        invalid.into_result()?;
        Ok(Wanted {
            style,
            label,
            metric,
        })
    }
}

fn days(digits: &str) -> Option<u64> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let days = is_number.then(|| digits.parse().ok()).flatten();
    days.filter(|days| (1..=BAR_DAYS).contains(days))
}

/// `GET /status/{organisation}/badge.svg`: the status of the page.
pub(crate) async fn page_badge(
    request: HttpRequest,
    organisation: web::Path<String>,
    query: web::Query<BadgeQuery>,
    pages: web::Data<PageCache>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let wanted = query.into_inner().read()?;
    if wanted.metric != Metric::Status {
        return Err(Invalid::field("metric", "Only components have an uptime").into());
    }
    let page = pages.require(&organisation).await?;
    let contents = page.badges();
    let (label, rollup) = (label(&wanted, &contents.title), contents.rollup);
    let picture = picture(&Badge {
        label: &label,
        message: rollup.description,
        tone: rollup.indicator.into(),
        style: wanted.style,
        title: &titled(&label, rollup.description),
    })?;
    Ok(boxed(responses.embeddable(&picture, request.headers())))
}

/// `GET /status/{organisation}/badge/{component}.svg`: the status or the uptime of a component.
pub(crate) async fn component_badge(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    query: web::Query<BadgeQuery>,
    pages: web::Data<PageCache>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let (organisation, code) = path.into_inner();
    let wanted = query.into_inner().read()?;
    let page = pages.require(&organisation).await?;
    let contents = page.badges();
    let component = contents.component(&code).ok_or_else(Problem::not_found)?;
    let label = label(&wanted, &component.name);
    let (message, title, tone) = match wanted.metric {
        Metric::Status => {
            let message = component.status.label().to_owned();
            let title = titled(&label, &message);
            (message, title, component.status.into())
        }
        Metric::Uptime(_) if !component.shows_uptime() => return Err(Problem::not_found()),
        Metric::Uptime(days) => {
            let percentage = contents.uptime(component, days);
            let message = uptime_digits(percentage);
            let unit = if days == 1 { "day" } else { "days" };
            let title = titled(
                &label,
                &format!("uptime of the last {days} {unit}: {message}"),
            );
            (message, title, uptime_tone(percentage))
        }
    };
    let picture = picture(&Badge {
        label: &label,
        message: &message,
        tone,
        style: wanted.style,
        title: &title,
    })?;
    Ok(boxed(responses.embeddable(&picture, request.headers())))
}

fn picture(badge: &Badge<'_>) -> Result<ReadyResponse, Problem> {
    Ok(ReadyResponse::picture(draw(badge).0)?)
}

/// The wanted label, or the beginning of the name.
fn label(wanted: &Wanted, name: &str) -> String {
    match (&wanted.label, name.char_indices().nth(LABEL_LENGTH)) {
        (Some(label), _) => label.clone(),
        (None, Some((end, _))) => format!("{}…", &name[..end]),
        (None, None) => name.to_owned(),
    }
}

fn titled(label: &str, message: &str) -> String {
    if label.trim().is_empty() {
        message.to_owned()
    } else {
        format!("{label}: {message}")
    }
}

fn uptime_tone(percentage: Option<Percentage>) -> Tone {
    match percentage.map(f64::from) {
        None => Tone::Neutral,
        Some(percent) if percent >= 99.9 => Tone::Operational,
        Some(percent) if percent >= 99.0 => Tone::Degraded,
        Some(percent) if percent >= 95.0 => Tone::Partial,
        Some(_) => Tone::Major,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(fields: [Option<&str>; 4]) -> BadgeQuery {
        let [style, label, metric, days] = fields.map(|field| field.map(str::to_owned));
        BadgeQuery {
            style,
            label,
            metric,
            days,
        }
    }

    /// The refused fields.
    fn refused(fields: [Option<&str>; 4]) -> Vec<String> {
        let invalid = query(fields).read().unwrap_err();
        invalid
            .errors
            .into_iter()
            .map(|error| error.field)
            .collect()
    }

    #[test]
    fn query_has_defaults() {
        let wanted = query([None; 4]).read().unwrap();
        assert_eq!(
            (wanted.style, wanted.metric),
            (BadgeStyle::Flat, Metric::Status)
        );
        let wanted = query([Some("flat-square"), None, Some("uptime"), None])
            .read()
            .unwrap();
        assert_eq!(
            (wanted.style, wanted.metric),
            (BadgeStyle::FlatSquare, Metric::Uptime(90))
        );
        let wanted = query([None, None, Some("uptime"), Some("30")])
            .read()
            .unwrap();
        assert_eq!(wanted.metric, Metric::Uptime(30));
    }

    #[test]
    fn unknown_values_are_refused_with_their_fields() {
        assert_eq!(refused([Some("plastic"), None, None, None]), ["style"]);
        assert_eq!(refused([None, None, Some("ping"), None]), ["metric"]);
        for days in [
            "0",
            "91",
            "-1",
            "+1",
            "1.5",
            "",
            "x",
            "99999999999999999999",
        ] {
            assert_eq!(
                refused([None, None, Some("uptime"), Some(days)]),
                ["days"],
                "{days}"
            );
        }
        let long = "x".repeat(101);
        for label in [long.as_str(), "a\nb", "a\u{0}b", "a\u{202e}b"] {
            assert_eq!(
                refused([None, Some(label), None, None]),
                ["label"],
                "{label:?}"
            );
        }
        assert!(
            query([None, Some(&"é".repeat(100)), None, None])
                .read()
                .is_ok()
        );
    }

    #[test]
    fn long_name_is_shortened() {
        let wanted = query([None; 4]).read().unwrap();
        assert_eq!(label(&wanted, &"x".repeat(100)).chars().count(), 100);
        assert_eq!(label(&wanted, &"é".repeat(200)).chars().count(), 101);
        assert_eq!(titled(" ", "Operational"), "Operational");
    }
}
