//! The routes of an organisation's settings.

use actix_web::{HttpResponse, get, patch, web};
use allclear_application::link::Links;
use allclear_application::organisation::Organisations;
use allclear_domain::channel::PublicChannels;
use allclear_domain::membership::Role;
use allclear_domain::organisation::{Organisation, OrganisationPatch};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::validation::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::custom_domain::DomainBody;
use crate::request::body::Body;
use crate::request::caller::{CanAdminister, CanRead};
use crate::request::field::{BOOLEAN_MESSAGE, FieldInput, Parsed, Text};
use crate::request::if_match::IfMatch;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Name and settings of an organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrganisationSettings)]
struct SettingsBody {
    /// Identifier at the identity provider.
    id: String,
    /// Public code of 12 characters, for addresses.
    code: String,
    /// Public address of the status page, without a slash at the end.
    url: String,
    name: String,
    /// Name of an IANA time zone. Days, bars and times of the public pages are in it.
    time_zone: String,
    /// The organisation's domain; null if there is none.
    #[schema(required)]
    domain: Option<DomainBody>,
    /// Title of the public pages; null if it is the name.
    #[schema(required)]
    page_title: Option<String>,
    /// Description on the public pages; null if there is none.
    #[schema(required)]
    page_description: Option<String>,
    /// Where visitors find help; null if there is no such address.
    #[schema(required)]
    support_url: Option<String>,
    /// Whether "Notify subscribers" starts ticked.
    notify_by_default: bool,
    /// Channels that visitors may subscribe by.
    public_channels: PublicChannels,
    /// After how many hours without an update an open incident reminds the operators by mail; null
    /// for never.
    #[schema(required)]
    reminder_hours: Option<u16>,
}

impl SettingsBody {
    /// The settings as a member with this role sees them.
    fn new(organisation: Organisation, reader: Role, links: &Links) -> Self {
        let domain = organisation.domain.as_ref();
        Self {
            domain: domain.map(|claim| DomainBody::new(claim, reader)),
            id: organisation.id.to_string(),
            code: organisation.id.code().to_string(),
            url: links.page(&organisation.id, organisation.verified_domain()),
            name: organisation.name,
            time_zone: organisation.time_zone.to_string(),
            page_title: organisation.page_title,
            page_description: organisation.page_description,
            support_url: organisation.support_url,
            notify_by_default: organisation.notify_by_default,
            public_channels: organisation.public_channels,
            reminder_hours: organisation.reminder_hours,
        }
    }
}

/// Changes to the settings. Absent fields stay unchanged; null or an empty text empties a field
/// that may be empty.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrganisationSettingsInput)]
struct SettingsInput {
    /// 2 to 200 characters. With an external identity provider it is changed there.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 2, max_length = 200)]
    name: FieldInput<Text>,
    /// Name of an IANA time zone, such as `Europe/Zurich`.
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    time_zone: FieldInput<Parsed<TimeZone>>,
    /// Up to 200 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, max_length = 200)]
    page_title: FieldInput<Text>,
    /// Up to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, max_length = 10_000)]
    page_description: FieldInput<Text>,
    /// An absolute http, https or mailto URL of up to 2,000 characters. A web address has a host,
    /// and no user name or password.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, max_length = 2_000)]
    support_url: FieldInput<Text>,
    /// Whether "Notify subscribers" starts ticked.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify_by_default: FieldInput<bool>,
    /// Channels that visitors may subscribe by, all of them.
    #[serde(default)]
    #[schema(value_type = PublicChannels, required = false)]
    public_channels: FieldInput<PublicChannels>,
    /// 1 to 720; null for never.
    #[serde(default)]
    #[schema(value_type = Option<u16>, required = false, minimum = 1, maximum = 720)]
    reminder_hours: FieldInput<u16>,
}

impl SettingsInput {
    fn patch(self) -> Result<OrganisationPatch, Invalid> {
        let mut invalid = Invalid::default();
        let patch = OrganisationPatch {
            name: self
                .name
                .optional("name", "Name is required", &mut invalid)
                .map(|text| text.0),
            time_zone: self
                .time_zone
                .optional("timeZone", "Unknown time zone", &mut invalid)
                .map(|zone| zone.0),
            page_title: emptied(self.page_title, "pageTitle", &mut invalid),
            page_description: emptied(self.page_description, "pageDescription", &mut invalid),
            support_url: emptied(self.support_url, "supportUrl", &mut invalid),
            notify_by_default: self.notify_by_default.optional(
                "notifyByDefault",
                BOOLEAN_MESSAGE,
                &mut invalid,
            ),
            public_channels: self.public_channels.optional(
                "publicChannels",
                "Must be true or false for each channel",
                &mut invalid,
            ),
            reminder_hours: match self.reminder_hours {
                FieldInput::Null => Some(None),
                given => given
                    .optional("reminderHours", "Must be from 1 to 720", &mut invalid)
                    .map(Some),
            },
        };
        invalid.into_result()?;
        Ok(patch)
    }
}

/// The new value of a text that null and an empty text empty.
#[expect(clippy::option_option, reason = "a field is absent, emptied or given")]
fn emptied(input: FieldInput<Text>, field: &str, invalid: &mut Invalid) -> Option<Option<String>> {
    if input == FieldInput::Null {
        return Some(None);
    }
    let text = input.optional(field, "Must be a text", invalid)?.0;
    Some((!text.is_empty()).then_some(text))
}

/// Returns the name and settings of the organisation. The `ETag` header is their version.
#[utoipa::path(
    tag = "organisation",
    responses((status = 200, body = ApiResponse<SettingsBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/organisation")]
async fn read(
    caller: CanRead,
    organisations: web::Data<Organisations>,
    links: web::Data<Links>,
) -> Result<HttpResponse, Problem> {
    let found = organisations.find(&caller.organisation).await?;
    let version = found.version;
    let settings = SettingsBody::new(found, caller.role, &links);
    Ok(ApiResponse::new(settings).item(version))
}

/// Changes the given settings of the organisation. Only for admins.
#[utoipa::path(
    tag = "organisation",
    params(("If-Match" = Option<String>, Header)),
    request_body = SettingsInput,
    responses((status = 200, body = ApiResponse<SettingsBody>), ErrorResponses),
    security(("bearer" = ["admin"]))
)]
#[patch("/organisation")]
async fn edit(
    caller: CanAdminister,
    if_match: IfMatch,
    body: Body<SettingsInput>,
    organisations: web::Data<Organisations>,
    links: web::Data<Links>,
) -> Result<HttpResponse, Problem> {
    let edited = organisations
        .edit(&caller.organisation, body.0.patch()?, if_match.0)
        .await?;
    let version = edited.version;
    let settings = SettingsBody::new(edited, caller.role, &links);
    Ok(ApiResponse::new(settings).item(version))
}

/// The routes of `/organisation`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(read).service(edit);
}
