//! The export of subscribers by mail as CSV (RFC 4180), which an import reads.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::vec;

use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::error::Error;
use allclear_application::page::Page;
use allclear_application::subscriber::Subscribers;
use allclear_application::subscriber::import::{CsvComponent, NO_COMPONENT};
use allclear_application::timestamp;
use allclear_domain::subscriber::{Scope, Subscriber};
use futures_util::stream::{iter, once};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::filter::{Filter, FilterQuery};
use crate::limit::usage::{LongRequest, Usage};
use crate::request::caller::CanWrite;
use crate::response::csv_line::{guarded, is_formula, line, plain};
use crate::response::file_download::{file_download, pages};
use crate::response::problem::{ErrorResponses, Problem};

const HEADER: [&str; 5] = ["email", "components", "status", "isVerified", "createdAt"];

/// Length of a piece of the file, in bytes. A line may have the names of all components, so the
/// text of a whole page of subscribers could be hundreds of megabytes.
const PIECE_BYTES: usize = 64 * 1024;

/// Returns the subscribers by mail that the parameters select, as CSV, newest first, without those
/// of single incidents.
#[utoipa::path(
    tag = "subscribers",
    params(FilterQuery),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/csv"),
        ErrorResponses
    ),
    security(("bearer" = ["editor"]))
)]
#[get("/export")]
pub(super) async fn export(
    caller: CanWrite,
    filter: Filter,
    request: HttpRequest,
    usage: web::Data<Usage>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let organisation = caller.organisation.clone();
    let permit = usage
        .begin_long(&organisation, LongRequest::SubscriberExport, &request)
        .await?;
    let components = subscribers.named_components(&organisation).await?;
    let components = Arc::new(ExportedComponents::of(components));
    let first = line(&HEADER.map(str::to_owned))?;
    let pages = pages(Page::MAX_LIMIT, move |page| {
        let _held = &permit;
        let (organisation, filter) = (organisation.clone(), filter.0.clone());
        let subscribers = subscribers.clone();
        async move { subscribers.list(&organisation, &filter, page).await }
    });
    let pieces = pages
        .map_ok(move |page| iter(Pieces::of(page, Arc::clone(&components))))
        .try_flatten();
    let header = once(async move { Ok(web::Bytes::from(first)) });
    let (name, content_type) = ("subscribers.csv", "text/csv; charset=utf-8");
    Ok(file_download(name, content_type, header.chain(pieces)))
}

/// The lines of subscribers, in pieces.
struct Pieces {
    subscribers: vec::IntoIter<Subscriber>,
    components: Arc<ExportedComponents>,
    text: web::BytesMut,
}

impl Pieces {
    fn of(subscribers: Vec<Subscriber>, components: Arc<ExportedComponents>) -> Self {
        Self {
            subscribers: subscribers.into_iter(),
            components,
            text: web::BytesMut::new(),
        }
    }

    /// The next piece; empty after the last one.
    fn piece(&mut self) -> Result<web::Bytes, Error> {
        while self.text.len() < PIECE_BYTES
            && let Some(subscriber) = self.subscribers.next()
        {
            let is_exported = subscriber.scope.incident().is_none();
            if let Some(email) = subscriber.target.email().filter(|_| is_exported) {
                let cells = cells(email, &subscriber, &self.components);
                self.text.extend_from_slice(&line(&cells)?);
            }
        }
        let length = self.text.len().min(PIECE_BYTES);
        Ok(self.text.split_to(length).freeze())
    }
}

impl Iterator for Pieces {
    type Item = Result<web::Bytes, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.piece();
        match piece {
            Ok(piece) if piece.is_empty() => None,
            piece => Some(piece),
        }
    }
}

fn cells(email: &str, subscriber: &Subscriber, components: &ExportedComponents) -> [String; 5] {
    [
        guarded(email.to_owned()),
        guarded(components.chosen(&subscriber.scope)),
        subscriber.status.to_string(),
        subscriber.is_verified.to_string(),
        timestamp::text(&subscriber.created_at),
    ]
}

/// The components of an organisation as an import reads them.
struct ExportedComponents(Vec<(CsvComponent, String)>);

impl ExportedComponents {
    /// By name, or by code where the name would be read differently.
    fn of(components: Vec<CsvComponent>) -> Self {
        let mut same: HashMap<String, usize> = HashMap::new();
        for component in &components {
            *same.entry(component.name.clone()).or_default() += 1;
        }
        let cells = components.into_iter().map(|component| {
            let name = &component.name;
            let is_read_differently =
                same[name] > 1 || name.contains(';') || plain(name) != name || name == NO_COMPONENT;
            let text = if is_read_differently {
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
        let is_chosen = |component: &CsvComponent| {
            let in_group = component.group.is_some_and(|group| groups.contains(&group));
            in_group || components.contains(&component.id)
        };
        let found = self.0.iter().filter(|(component, _)| is_chosen(component));
        let texts: Vec<_> = found
            .enumerate()
            .map(|(position, (component, text))| {
                // Spreadsheet programs that separate cells at semicolons begin another cell here.
                if position > 0 && is_formula(text) {
                    component.id.code().to_string()
                } else {
                    text.clone()
                }
            })
            .collect();
        if texts.is_empty() {
            NO_COMPONENT.to_owned()
        } else {
            texts.join(";")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_domain::channel::{Channel, Target};
    use allclear_domain::id::{ComponentId, SubscriberId};
    use allclear_domain::subscriber::{Choice, SubscriberDraft};
    use chrono::DateTime;
    use uuid::Uuid;

    /// Subscribers that chose all components, and those components. The name of each component has
    /// this many bytes.
    fn subscribers(count: u128, name: usize) -> (Vec<Subscriber>, Arc<ExportedComponents>) {
        let components = (0..100).map(|number| CsvComponent {
            id: ComponentId(Uuid::from_u128(number)),
            name: format!("{number:0name$}"),
            group: None,
        });
        let components: Vec<_> = components.collect();
        let choice = Choice {
            components: components.iter().map(|component| component.id).collect(),
            groups: Vec::new(),
        };
        let subscribers = (0..count).map(|number| {
            let email = format!("ann{number}@example.com");
            let target = Target::parse(Channel::Email, &email).unwrap();
            let draft = SubscriberDraft {
                scope: Scope::Components(choice.clone()),
                ..SubscriberDraft::of_everything(target)
            };
            let id = SubscriberId(Uuid::from_u128(number));
            Subscriber::create(id, draft, DateTime::UNIX_EPOCH)
        });
        let components = ExportedComponents::of(components);
        (subscribers.collect(), Arc::new(components))
    }

    #[test]
    fn pieces_of_long_lines_are_short_and_together_all_lines() {
        for name in [10, 200, 2_000] {
            let (subscribers, components) = subscribers(50, name);
            let lines = subscribers.iter().flat_map(|subscriber| {
                let email = subscriber.target.email().unwrap();
                line(&cells(email, subscriber, &components)).unwrap()
            });
            let lines: Vec<_> = lines.collect();
            let pieces = Pieces::of(subscribers, components);
            let pieces: Vec<_> = pieces.map(Result::unwrap).collect();
            assert_eq!(pieces.len(), lines.len().div_ceil(PIECE_BYTES));
            assert!(pieces.iter().all(|piece| piece.len() <= PIECE_BYTES));
            assert!(pieces.concat() == lines, "the bytes are the same");
        }
    }

    #[test]
    fn names_like_formulas_are_codes_behind_a_semicolon() {
        let component = |number, name: &str| CsvComponent {
            id: ComponentId(Uuid::from_u128(number)),
            name: name.into(),
            group: None,
        };
        let components = vec![component(1, "=A1"), component(2, "=A2")];
        let code = components[1].id.code().to_string();
        let choice = Choice {
            components: components.iter().map(|component| component.id).collect(),
            groups: Vec::new(),
        };
        let cell = ExportedComponents::of(components).chosen(&Scope::Components(choice));
        assert_eq!(guarded(cell), format!("'=A1;{code}"));
    }

    #[test]
    fn subscriber_without_a_component_left_is_not_one_of_everything() {
        let gone = Choice {
            components: vec![ComponentId(Uuid::from_u128(1))],
            groups: Vec::new(),
        };
        let components = ExportedComponents::of(Vec::new());
        assert_eq!(components.chosen(&Scope::Components(gone)), NO_COMPONENT);
        assert_eq!(components.chosen(&Scope::All), "");
    }

    #[test]
    fn subscribers_by_other_channels_have_no_piece() {
        let (mut subscribers, components) = subscribers(2, 10);
        for subscriber in &mut subscribers {
            subscriber.target = Target::parse(Channel::Webhook, "https://example.com/x").unwrap();
        }
        assert_eq!(Pieces::of(subscribers, components).count(), 0);
    }
}
