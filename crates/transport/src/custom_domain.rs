//! The routes of an organisation's domain, and of proxies and checks that ask about domains.

use actix_web::{HttpRequest, HttpResponse, delete, post, put, web};
use allclear_application::custom_domain::hosts::Hosts;
use allclear_application::custom_domain::{CLAIMANT, Domains, TOKEN_PATH};
use allclear_application::error::{Error, Resource};
use allclear_application::timestamp;
use allclear_domain::custom_domain::{DomainClaim, DomainName, DomainStatus};
use allclear_domain::id::OrganisationId;
use allclear_domain::membership::Role;
use allclear_domain::organisation::Organisation;
use allclear_domain::permission::Permission;
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::limit::bucket::Bucket;
use crate::limit::usage::Usage;
use crate::request::body::Body;
use crate::request::caller::RecentAdmin;
use crate::request::field::{FieldInput, Text};
use crate::response::api_response::{ApiResponse, Deleted};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;
use crate::server::host::{Host, host_of};

/// Message for a text that is no name of a domain.
const NAME_MESSAGE: &str =
    "Must be a domain name such as status.example.com, without https://, port or path";

/// Limits for the checks of domains, because each makes the server send requests.
pub struct DomainThrottle {
    of_organisation: Bucket<OrganisationId>,
    /// Checks of all organisations of an account, also of those that it has deleted.
    of_account: Bucket<String>,
}

impl Default for DomainThrottle {
    fn default() -> Self {
        Self {
            of_organisation: Bucket::new(RateLimit {
                burst: 10,
                per_hour: 60,
            }),
            of_account: Bucket::new(RateLimit {
                burst: 20,
                per_hour: 120,
            }),
        }
    }
}

impl DomainThrottle {
    /// Counts a check. 429 if it exceeds a limit.
    fn take(&self, organisation: &OrganisationId, account: &str) -> Result<(), Problem> {
        self.of_organisation.take_or_refuse(organisation)?;
        self.of_account
            .take_or_refuse(&account.to_owned())
            .inspect_err(|_| self.of_organisation.give_back(organisation))
    }
}

/// The domain of an organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Domain)]
pub(crate) struct DomainBody {
    /// In ASCII and lower case.
    name: String,
    status: DomainStatus,
    /// When the domain served the token; null while it is pending.
    #[schema(required)]
    #[serde(serialize_with = "timestamp::serialize_option")]
    checked_at: Option<DateTime<Utc>>,
    /// What the domain must serve; absent for others than admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Address at which the domain must serve the token.
    check_url: String,
}

impl DomainBody {
    /// A claim as a member with this role sees it.
    pub(crate) fn new(claim: &DomainClaim, reader: Role) -> Self {
        Self {
            name: claim.name.to_string(),
            status: claim.status,
            checked_at: claim.checked_at,
            token: reader
                .may(Permission::Administer)
                .then(|| claim.token.clone()),
            check_url: format!("https://{}{TOKEN_PATH}", claim.name),
        }
    }

    fn of(organisation: &Organisation, reader: Role) -> Result<Self, Error> {
        let claim = organisation.domain.as_ref();
        let claim = claim.ok_or(Error::NotFound(Resource::Domain))?;
        Ok(Self::new(claim, reader))
    }
}

/// A claim to a domain.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = DomainInput)]
struct DomainInput {
    /// A host name of at least two labels and up to 253 characters, such as `status.example.com`.
    #[serde(default)]
    #[schema(value_type = String, required = true, max_length = 253)]
    name: FieldInput<Text>,
}

/// Claims a domain for the organisation, in place of its present one. Only for admins. The domain
/// must serve the returned token before it is verified. 409 if another organisation has verified
/// it. Needs a recent authentication.
#[utoipa::path(
    tag = "organisation",
    request_body = DomainInput,
    responses((status = 200, body = ApiResponse<DomainBody>), ErrorResponses),
    security(("bearer" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[put("/organisation/domain")]
async fn claim_domain(
    caller: RecentAdmin,
    body: Body<DomainInput>,
    domains: web::Data<Domains>,
) -> Result<HttpResponse, Problem> {
    let mut invalid = Invalid::default();
    let Some(Text(name)) = body.0.name.required("name", NAME_MESSAGE, &mut invalid) else {
        return Err(invalid.into());
    };
    let name: Result<DomainName, _> = name.parse();
    let name = name.map_err(|_| Invalid::field("name", NAME_MESSAGE))?;
    let claimed = domains.claim(&caller.organisation, name);
    let claimed = DomainBody::of(&claimed.await?, caller.role)?;
    Ok(ApiResponse::new(claimed).ok())
}

/// Asks the domain for the token, and takes the domain if it serves the token. Only for admins. 409
/// with the reason if it does not. Needs a recent authentication.
#[utoipa::path(
    tag = "organisation",
    responses((status = 200, body = ApiResponse<DomainBody>), ErrorResponses),
    security(("bearer" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[post("/organisation/domain/verify")]
async fn verify_domain(
    caller: RecentAdmin,
    request: HttpRequest,
    usage: web::Data<Usage>,
    domains: web::Data<Domains>,
    throttle: web::Data<DomainThrottle>,
) -> Result<HttpResponse, Problem> {
    throttle.take(&caller.organisation, caller.account())?;
    let _permit = usage.begin_message(&caller.organisation, &request).await?;
    let verified = domains.verify(&caller.organisation).await?;
    Ok(ApiResponse::new(DomainBody::of(&verified, caller.role)?).ok())
}

/// Removes the organisation's domain. Only for admins. Its pages are no longer served there. Needs
/// a recent authentication.
#[utoipa::path(
    tag = "organisation",
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["admin"])),
    extensions(("x-recent-authentication" = json!(true)))
)]
#[delete("/organisation/domain")]
async fn remove_domain(
    caller: RecentAdmin,
    domains: web::Data<Domains>,
) -> Result<HttpResponse, Problem> {
    let removed = domains.remove(&caller.organisation).await?;
    Ok(ApiResponse::deleted(removed))
}

/// The routes of `/organisation/domain`.
pub(crate) fn routes(config: &mut impl Routes) {
    config
        .service(claim_domain)
        .service(verify_domain)
        .service(remove_domain);
}

/// `GET /.well-known/allclear-domain`: the tokens of the pending claims to the host of the request,
/// one a line.
pub(crate) async fn tokens(
    request: HttpRequest,
    domains: web::Data<Domains>,
) -> Result<HttpResponse, Problem> {
    let host = host_of(request.head()).ok().flatten();
    let name: Option<DomainName> = host.and_then(|host| host.as_str().parse().ok());
    let tokens = match name {
        Some(name) => domains.pending_tokens(&name, claimant(&request)).await?,
        None => Vec::new(),
    };
    if tokens.is_empty() {
        return Err(Problem::not_found());
    }
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header(("cache-control", "no-store"))
        .body(tokens.join("\n") + "\n"))
}

/// The organisation for which the check of a domain reads the tokens.
fn claimant(request: &HttpRequest) -> Option<OrganisationId> {
    let text = request.headers().get(CLAIMANT)?.to_str().ok()?;
    OrganisationId::parse(text).ok()
}

/// The query of a proxy.
#[derive(Debug, Deserialize)]
pub(crate) struct TlsAsk {
    domain: Option<String>,
}

/// `GET /.well-known/allclear-tls-ask?domain=`: whether a proxy may obtain a certificate for a
/// host: 200 or 404.
pub(crate) async fn tls_ask(
    query: web::Query<TlsAsk>,
    hosts: web::Data<Hosts>,
) -> Result<HttpResponse, Problem> {
    let Some(domain) = query.0.domain.filter(|domain| !domain.is_empty()) else {
        return Err(Problem::bad_request("The query needs a domain"));
    };
    let is_served = Host::parse(&domain).is_ok_and(|host| hosts.table().is_served(host.as_str()));
    if !is_served {
        return Err(Problem::not_found());
    }
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header(("cache-control", "no-store"))
        .body("ok\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_of_an_account_are_bounded_in_all_its_organisations() {
        let throttle = DomainThrottle::default();
        let check = |organisation: &str, account: &str| {
            let organisation = OrganisationId::parse(organisation).unwrap();
            throttle.take(&organisation, account).is_ok()
        };
        for organisation in ["one", "two"] {
            assert!((0..10).all(|_| check(organisation, "ann")));
            assert!(!check(organisation, "ann"));
        }
        assert!(!check("three", "ann"));
        assert!(
            (0..10).all(|_| check("three", "bob")),
            "the refused check is not counted"
        );
    }
}
