//! The import of subscribers by mail from CSV (RFC 4180).

mod file;
mod rows;

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::{HttpMessage, HttpRequest, HttpResponse, post, web};
use allclear_application::error::Error;
use allclear_application::subscriber::Subscribers;
use allclear_application::subscriber::import::{ImportMode, ImportReport};
use allclear_domain::id::OrganisationId;
use allclear_domain::validation::{FieldError, Invalid};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use self::file::File;
use self::rows::Header;
use crate::limit::concurrency::release;
use crate::request::caller::CanWrite;
use crate::request::field::BOOLEAN_MESSAGE;
use crate::response::problem::{ErrorResponses, Problem};

/// The organisations whose files are being imported, with the accounts: each has one at a time. All
/// API keys of the organisations that an account founded count as one account.
static IMPORTING: Mutex<BTreeMap<OrganisationId, String>> = Mutex::new(BTreeMap::new());

/// A running import. Another one of the organisation has to wait for its end.
struct Importing(OrganisationId);

/// How a file is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// True (the default) to check the file only and store nothing.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    dry_run: Option<String>,
    /// Whether the people behind the addresses have agreed to get mail; false if absent. Then they
    /// get no verification link.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    confirmed: Option<String>,
    /// How the people have agreed, 1 to 1,000 characters, for the audit log. Required if
    /// `confirmed` is true.
    #[serde(default)]
    consent: Option<String>,
}

impl ImportQuery {
    fn mode(&self) -> Result<ImportMode, Invalid> {
        let mut invalid = Invalid::default();
        let dry_run = flag(self.dry_run.as_deref(), true, "dryRun", &mut invalid);
        let confirmed = flag(self.confirmed.as_deref(), false, "confirmed", &mut invalid);
        invalid.into_result()?;
        let consent = self.consent.as_deref().unwrap_or_default();
        ImportMode::of(dry_run, confirmed, consent)
    }
}

fn flag(text: Option<&str>, default: bool, field: &str, invalid: &mut Invalid) -> bool {
    match text {
        None => default,
        Some("true") => true,
        Some("false") => false,
        Some(_) => {
            invalid.add(FieldError::new(field, BOOLEAN_MESSAGE));
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

/// Response to an import, or to a check of the file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriberImportResponse)]
struct ImportResponse {
    data: ReportBody,
    /// Of a check; absent without a limit of mails, and if no mail would be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<ImportMeta>,
}

/// What may still be sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriberImportMeta)]
struct ImportMeta {
    /// How many more mails that ask to confirm may be sent today (UTC). Each new subscriber needs
    /// one.
    mails_left: u64,
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

impl ImportResponse {
    fn new(dry_run: bool, report: ImportReport) -> Self {
        Self {
            meta: report
                .mails_left
                .map(|mails_left| ImportMeta { mails_left }),
            data: ReportBody::new(dry_run, report),
        }
    }
}

/// Imports addresses from a CSV file of up to 16 MiB with the column `email` and, optionally,
/// `components`: names or codes, separated by semicolons. Columns are separated by commas, or by
/// semicolons or tabs if those of the first line are. Nothing is stored unless `dryRun` is false.
/// After an error, the same file may be imported again.
#[utoipa::path(
    tag = "subscribers",
    params(ImportQuery),
    request_body(content = String, content_type = "text/csv"),
    responses((status = 200, body = ImportResponse), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/import")]
pub(super) async fn import(
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
    let mode = query.mode()?;
    let dry_run = mode.is_dry_run();
    let importing = Importing::begin(&caller.organisation, caller.account());
    let _importing = importing.ok_or_else(imports_are_running)?;
    // The file may arrive slowly.
    release(&request);
    let file = File::read(body).await?;
    // A large file takes long to check, and other requests would wait for this thread.
    let checked = web::block(move || (Header::of(file.bytes()), file)).await;
    let (header, file) = checked.map_err(Error::internal)?;
    let rows = header?.rows(file.bytes());
    let report = subscribers
        .import(&caller.organisation, caller.account(), mode, rows)
        .await?;
    Ok(HttpResponse::Ok().json(ImportResponse::new(dry_run, report)))
}

/// 429: the file has to wait for others.
fn imports_are_running() -> Problem {
    let message = "Other files are being imported, please try again in a minute";
    Problem::too_many_of(message.to_owned(), 60)
}

impl Importing {
    /// `None` if the organisation or the account has one already.
    fn begin(organisation: &OrganisationId, account: &str) -> Option<Self> {
        let mut importing = IMPORTING.lock();
        if importing.contains_key(organisation) || importing.values().any(|other| other == account)
        {
            return None;
        }
        importing.insert(organisation.clone(), account.to_owned());
        Some(Self(organisation.clone()))
    }
}

impl Drop for Importing {
    fn drop(&mut self) {
        IMPORTING.lock().remove(&self.0);
    }
}
