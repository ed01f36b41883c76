//! Subscribers by mail as CSV (RFC 4180).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ContentDisposition, DispositionParam, DispositionType};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, post, web};
use allclear_application::error::Error;
use allclear_application::page::Page;
use allclear_application::subscriber::Subscribers;
use allclear_application::subscriber::import::{
    ImportMode, ImportReport, ImportRow, NamedComponent,
};
use allclear_application::timestamp;
use allclear_domain::id::OrganisationId;
use allclear_domain::subscriber::{Scope, Subscriber};
use allclear_domain::validation::Invalid;
use csv::{ByteRecord, ReaderBuilder};
use futures_util::StreamExt as _;
use futures_util::stream::{once, try_unfold};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::limit::usage::Usage;
use crate::request::caller::CanWrite;
use crate::request::input::FILE_LIMIT;
use crate::response::api_response::ApiResponse;
use crate::response::csv_line::{guarded, line, plain};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Most lines of a file: twice as many as an organisation may have subscribers by default.
const LINE_LIMIT: usize = 200_000;
/// Files that are held in memory at the same time, at most one of each organisation and of each caller: a file that arrives slowly
/// keeps its place.
const FILES: usize = 8;
/// The organisations whose files are being imported, with the callers.
static IMPORTING: Mutex<BTreeMap<OrganisationId, String>> = Mutex::new(BTreeMap::new());

/// A running import. Another one of the organisation has to wait for its end.
struct Importing(OrganisationId);

/// The header of an export.
const HEADER: [&str; 5] = ["email", "components", "status", "isVerified", "createdAt"];

/// How a file is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// True (the default) to check the file only and store nothing.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    dry_run: Option<String>,
    /// Whether the people behind the addresses have agreed to get mail; false if absent. Then they get no verification link.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    confirmed: Option<String>,
    /// How the people have agreed, 1 to 1,000 characters, for the audit log. Required if `confirmed` is true.
    #[serde(default)]
    consent: Option<String>,
}

impl ImportQuery {
    fn mode(&self) -> Result<(bool, ImportMode), Invalid> {
        let mut invalid = Invalid::default();
        let dry_run = flag(self.dry_run.as_deref(), true, "dryRun", &mut invalid);
        let confirmed = flag(self.confirmed.as_deref(), false, "confirmed", &mut invalid);
        invalid.into_result()?;
        let consent = self.consent.as_deref().unwrap_or_default();
        Ok((dry_run, ImportMode::of(dry_run, confirmed, consent)?))
    }
}

fn flag(text: Option<&str>, default: bool, field: &str, invalid: &mut Invalid) -> bool {
    match text {
        None => default,
        Some("true") => true,
        Some("false") => false,
        Some(_) => {
            let wrong = Invalid::field(field, "Must be true or false");
            wrong
                .errors
                .into_iter()
                .for_each(|error| invalid.add(error));
            default
        }
    }
}

/// Result of an import, or of a check of the file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriberImport)]
struct ReportBody {
    /// Whether nothing was stored.
    dry_run: bool,
    /// Number of rows, without the header.
    rows: u64,
    /// Number of new subscribers.
    added: u64,
    /// Number of addresses that are subscribers already, or occur in an earlier row.
    known: u64,
    /// Number of rows that cannot be imported.
    failed: u64,
    /// Why rows cannot be imported, the first 100.
    errors: Vec<RowErrorBody>,
}

/// Why a row cannot be imported.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriberImportError)]
struct RowErrorBody {
    /// Number of the line; the header is line 1.
    line: u64,
    /// What is wrong.
    message: String,
}

impl ReportBody {
    fn new(dry_run: bool, report: ImportReport) -> Self {
        let error = |(line, message)| RowErrorBody { line, message };
        Self {
            dry_run,
            rows: report.rows,
            added: report.added,
            known: report.known,
            failed: report.failed,
            errors: report.errors.into_iter().map(error).collect(),
        }
    }
}

/// Imports addresses from a CSV file of up to 16 MiB with the column `email` and, optionally, `components`: names or
/// codes, separated by semicolons. Nothing is stored unless `dryRun` is false. After an error, the same file may be
/// imported again.
#[utoipa::path(
    tag = "subscribers",
    params(ImportQuery),
    request_body(content = String, content_type = "text/csv"),
    responses((status = 200, body = ApiResponse<ReportBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/import")]
async fn import(
    request: HttpRequest,
    caller: CanWrite,
    query: web::Query<ImportQuery>,
    body: web::Payload,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    if !request.content_type().eq_ignore_ascii_case("text/csv") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body must be text/csv",
        ));
    }
    let (dry_run, mode) = query.mode()?;
    let Some(_importing) = Importing::begin(&caller.organisation, caller.subject()) else {
        let message = "Other files are being imported, please try again in a minute";
        return Err(Problem::too_many_of(message.to_owned(), 60));
    };
    let file = read(body).await?;
    let rows = Rows::of(&file)?;
    let report = subscribers
        .import(&caller.organisation, caller.subject(), mode, rows.iter())
        .await?;
    Ok(ApiResponse::new(ReportBody::new(dry_run, report)).ok())
}

impl Importing {
    /// `None` if the organisation or the caller has one already, or if there are too many.
    fn begin(organisation: &OrganisationId, caller: &str) -> Option<Self> {
        let mut importing = importing();
        if importing.len() >= FILES
            || importing.contains_key(organisation)
            || importing.values().any(|other| other == caller)
        {
            return None;
        }
        importing.insert(organisation.clone(), caller.to_owned());
        Some(Self(organisation.clone()))
    }
}

impl Drop for Importing {
    fn drop(&mut self) {
        importing().remove(&self.0);
    }
}

fn importing() -> MutexGuard<'static, BTreeMap<OrganisationId, String>> {
    // Every change is one call, so the map is valid even after a panic.
    IMPORTING.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn read(body: web::Payload) -> Result<web::Bytes, Problem> {
    match body.to_bytes_limited(FILE_LIMIT).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "The file could not be read",
        )),
        Err(_) => Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The file is larger than 16 MiB",
        )),
    }
}

/// The rows of a file.
struct Rows<'a> {
    file: &'a [u8],
    email: usize,
    components: Option<usize>,
}

impl<'a> Rows<'a> {
    /// Reads the header.
    fn of(file: &'a [u8]) -> Result<Self, Invalid> {
        // The byte order mark of some programs.
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        if lines(file) > LINE_LIMIT {
            return Err(Invalid::field(
                "email",
                "The file has more than 200,000 lines: split it",
            ));
        }
        let mut reader = reader(file);
        let header = reader.byte_headers().cloned().unwrap_or_default();
        let place = |name: &str| {
            let is_it = |cell: &[u8]| cell.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
            header.iter().position(is_it)
        };
        let email = place("email");
        Ok(Self {
            file,
            email: email.ok_or_else(|| {
                Invalid::field("email", "The first line must name a column \"email\"")
            })?,
            components: place("components"),
        })
    }

    fn iter(&self) -> impl Iterator<Item = ImportRow> + Send {
        let (file, email, components) = (self.file, self.email, self.components);
        let mut reader = reader(file);
        let mut record = ByteRecord::new();
        let (mut line, mut counted) = (1, 0);
        std::iter::from_fn(move || {
            let read = reader.read_byte_record(&mut record);
            // The reader's own count knows `\n` alone, and begins a record before the line ends that it skips.
            let position = record.position().map_or(0, csv::Position::byte);
            let mut begin = usize::try_from(position).unwrap_or_default().max(counted);
            while matches!(file.get(begin), Some(b'\r' | b'\n')) {
                begin += 1;
            }
            line += lines(&file[counted..begin]) as u64;
            counted = begin;
            match read {
                Ok(false) => None,
                Ok(true) => Some(ImportRow {
                    line,
                    content: content(&record, email, components),
                }),
                Err(_) => Some(ImportRow {
                    line,
                    content: Err("The line is not well-formed"),
                }),
            }
        })
    }
}

/// Number of line ends: `\n`, `\r` or both, as the reader knows them.
fn lines(file: &[u8]) -> usize {
    let mut previous = None;
    let is_end = |byte: &&u8| {
        let before = previous.replace(**byte);
        **byte == b'\r' || (**byte == b'\n' && before != Some(b'\r'))
    };
    file.iter().filter(is_end).count()
}

fn reader(file: &[u8]) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().flexible(true).from_reader(file)
}

fn content(
    record: &ByteRecord,
    email: usize,
    components: Option<usize>,
) -> Result<(String, String), &'static str> {
    let cell = |place: usize| {
        let bytes = record.get(place).unwrap_or_default();
        let text = std::str::from_utf8(bytes).map_err(|_| "The line is not UTF-8")?;
        Ok::<_, &'static str>(plain(text.trim()).to_owned())
    };
    let components = components.map(cell).transpose()?.unwrap_or_default();
    Ok((cell(email)?, components))
}

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
async fn export(
    caller: CanWrite,
    request: HttpRequest,
    usage: web::Data<Usage>,
    subscribers: web::Data<Subscribers>,
) -> Result<HttpResponse, Problem> {
    let organisation = caller.organisation.clone();
    let permit = usage.begin_export(&organisation, &request).await?;
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
    let listed = subscribers.list(organisation, page).await?;
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

/// The routes of files.
pub(super) fn routes(config: &mut impl Routes) {
    config.service(import).service(export);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(file: &str) -> Vec<ImportRow> {
        Rows::of(file.as_bytes()).unwrap().iter().collect()
    }

    fn row(line: u64, email: &str, components: &str) -> ImportRow {
        ImportRow {
            line,
            content: Ok((email.into(), components.into())),
        }
    }

    #[test]
    fn rows_are_read_by_the_names_of_the_header_with_their_lines() {
        assert_eq!(
            rows(
                "\u{feff}Components,EMAIL\nAPI;Web, ann@example.com \n\"a\nb\",bob@example.com\r\n"
            ),
            [
                row(2, "ann@example.com", "API;Web"),
                row(3, "bob@example.com", "a\nb"),
            ]
        );
        assert_eq!(
            rows("email\nann@example.com\n"),
            [row(2, "ann@example.com", "")]
        );
        assert_eq!(rows("email,components\n,\n"), [row(2, "", "")]);
        assert!(rows("email\n").is_empty());
    }

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r", "\r\n"] {
            let file = ["email", "", "ann@example.com", "\"bob", "\"", "", "eve", ""].join(end);
            let lines: Vec<_> = rows(&file).iter().map(|row| row.line).collect();
            assert_eq!(lines, [3, 4, 7], "{end:?}");
        }
    }

    #[test]
    fn a_file_needs_a_header() {
        for file in ["", "ann@example.com\n", "name\nann\n"] {
            assert!(Rows::of(file.as_bytes()).is_err(), "{file}");
        }
    }

    #[test]
    fn a_file_has_a_largest_number_of_lines() {
        let largest = format!("email{}", "\n".repeat(LINE_LIMIT));
        assert!(Rows::of(largest.as_bytes()).is_ok());
        assert!(Rows::of(format!("{largest}\n").as_bytes()).is_err());
        // The reader ends a line at each of these, too.
        for end in ["\r", "\r\n"] {
            let largest = format!("email{}", end.repeat(LINE_LIMIT));
            assert!(Rows::of(largest.as_bytes()).is_ok(), "{end:?}");
            assert!(
                Rows::of(format!("{largest}{end}").as_bytes()).is_err(),
                "{end:?}"
            );
        }
    }

    #[test]
    fn an_organisation_imports_one_file_at_a_time() {
        let organisation = |number| OrganisationId::parse(&format!("importing{number}")).unwrap();
        let one = Importing::begin(&organisation(0), "ann");
        assert!(one.is_some() && Importing::begin(&organisation(0), "bob").is_none());
        assert!(Importing::begin(&organisation(1), "ann").is_none());
        let others: Vec<_> = (1..=FILES)
            .map(|number| Importing::begin(&organisation(number), &number.to_string()))
            .collect();
        assert_eq!(others.iter().flatten().count(), FILES - 1);
        drop(one);
        assert!(Importing::begin(&organisation(0), "ann").is_some());
    }

    #[test]
    fn a_line_of_another_encoding_is_an_error_of_its_own() {
        let file = b"email\n\xff@example.com\nann@example.com\n";
        let rows: Vec<_> = Rows::of(file).unwrap().iter().collect();
        assert_eq!(
            rows,
            [
                ImportRow {
                    line: 2,
                    content: Err("The line is not UTF-8"),
                },
                row(3, "ann@example.com", ""),
            ]
        );
    }

    #[test]
    fn no_cell_is_a_formula_and_an_import_reads_what_an_export_wrote() {
        for cell in ["=1+1", "+1", "-1", "@x", "\tx"] {
            let guarded = guarded(cell.to_owned());
            assert!(guarded.starts_with('\''), "{guarded}");
            assert_eq!(plain(&guarded), cell);
        }
        assert_eq!(guarded("ann".to_owned()), "ann");
        assert_eq!(plain("'ann"), "'ann");
    }
}
