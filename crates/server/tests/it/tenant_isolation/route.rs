//! The table of API calls: what each requires, and a valid body for it.

use serde_json::{Value, json};

use super::world::World;

/// What a call requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// No permission is needed.
    Open,
    /// A token for the organisation of the path or body.
    Token,
    /// A session; the call concerns the user of the session.
    Session,
    /// A session of a member of the organisation.
    Member,
    /// A session of an admin of the organisation.
    Admin,
    /// A session of the administrator of the installation.
    Administrator,
}

/// A call of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) method: &'static str,
    /// Below `/api/v1`, as the OpenAPI document writes it.
    pub(super) path: &'static str,
    pub(super) guard: Guard,
}

const fn route(guard: Guard, method: &'static str, path: &'static str) -> Route {
    Route {
        method,
        path,
        guard,
    }
}

/// Every API call.
pub(super) const ROUTES: &[Route] = &[
    // Exists with Clerk only, and needs its signature: see crates/server/tests/it/clerk/webhook.rs.
    route(Guard::Open, "post", "/clerk/webhooks"),
    // Before new components and groups, which its body does not have.
    route(Guard::Token, "post", "/component/order"),
    route(Guard::Token, "post", "/component-group/create"),
    route(Guard::Token, "get", "/component-group/list"),
    route(Guard::Token, "get", "/component-group/{id}"),
    route(Guard::Token, "patch", "/component-group/{id}"),
    route(Guard::Token, "delete", "/component-group/{id}"),
    route(Guard::Token, "get", "/component-group/{id}/uptime"),
    route(Guard::Token, "get", "/component/order"),
    route(Guard::Token, "get", "/audit"),
    route(Guard::Token, "get", "/api-key/list"),
    route(Guard::Token, "post", "/api-key/create"),
    route(Guard::Token, "delete", "/api-key/{id}"),
    route(Guard::Token, "get", "/dashboard"),
    route(Guard::Token, "get", "/metrics"),
    route(Guard::Token, "get", "/organisation"),
    route(Guard::Token, "patch", "/organisation"),
    // Before the claim: without one it sends nothing.
    route(Guard::Token, "post", "/organisation/domain/verify"),
    route(Guard::Token, "put", "/organisation/domain"),
    route(Guard::Token, "delete", "/organisation/domain"),
    route(Guard::Token, "get", "/incident/{id}/review"),
    route(Guard::Token, "put", "/incident/{id}/review"),
    route(Guard::Token, "delete", "/incident/{id}/review"),
    route(Guard::Token, "post", "/incident/{id}/review/preview"),
    route(Guard::Token, "post", "/incident/{id}/review/publish"),
    route(Guard::Token, "post", "/component/create"),
    route(Guard::Token, "get", "/component/list"),
    route(Guard::Token, "get", "/component/{id}"),
    route(Guard::Token, "get", "/component/{id}/history"),
    route(Guard::Token, "get", "/component/{id}/uptime"),
    route(Guard::Token, "post", "/component/{id}/history/create"),
    route(Guard::Token, "put", "/component/{id}/history/{period_id}"),
    route(
        Guard::Token,
        "delete",
        "/component/{id}/history/{period_id}",
    ),
    route(Guard::Token, "delete", "/component/{id}"),
    route(Guard::Token, "patch", "/component/{id}"),
    route(Guard::Open, "get", "/configuration"),
    route(Guard::Session, "post", "/identity/invitations/accept"),
    route(Guard::Open, "post", "/identity/invitations/inspect"),
    route(Guard::Open, "get", "/identity/oidc/callback"),
    route(
        Guard::Session,
        "post",
        "/identity/oidc/{provider}/re-authenticate",
    ),
    route(Guard::Open, "post", "/identity/oidc/{provider}/start"),
    route(Guard::Session, "post", "/identity/organisations"),
    route(Guard::Admin, "delete", "/identity/organisations/{id}"),
    route(Guard::Admin, "patch", "/identity/organisations/{id}"),
    route(
        Guard::Admin,
        "get",
        "/identity/organisations/{id}/invitations",
    ),
    route(
        Guard::Admin,
        "post",
        "/identity/organisations/{id}/invitations",
    ),
    route(
        Guard::Admin,
        "delete",
        "/identity/organisations/{id}/invitations/{invitation_id}",
    ),
    route(Guard::Member, "get", "/identity/organisations/{id}/members"),
    route(
        Guard::Admin,
        "delete",
        "/identity/organisations/{id}/members/{user_id}",
    ),
    route(
        Guard::Admin,
        "patch",
        "/identity/organisations/{id}/members/{user_id}",
    ),
    route(
        Guard::Member,
        "get",
        "/identity/organisations/{id}/second-factor",
    ),
    route(
        Guard::Admin,
        "put",
        "/identity/organisations/{id}/second-factor",
    ),
    route(Guard::Open, "post", "/identity/password-reset"),
    route(Guard::Open, "post", "/identity/password-reset/confirm"),
    // Before the sessions end.
    route(Guard::Session, "post", "/identity/re-authenticate"),
    route(Guard::Session, "post", "/identity/re-authenticate/passkey"),
    route(
        Guard::Session,
        "post",
        "/identity/re-authenticate/passkey/options",
    ),
    route(Guard::Open, "get", "/identity/session"),
    route(Guard::Session, "post", "/identity/session/second-factor"),
    route(Guard::Session, "get", "/identity/sessions"),
    route(Guard::Session, "delete", "/identity/sessions"),
    route(Guard::Session, "delete", "/identity/sessions/{id}"),
    route(Guard::Open, "post", "/identity/sign-in"),
    route(Guard::Open, "post", "/identity/sign-in/code"),
    route(Guard::Open, "post", "/identity/sign-in/passkey"),
    route(Guard::Open, "post", "/identity/sign-in/passkey/options"),
    route(Guard::Open, "post", "/identity/sign-out"),
    route(Guard::Open, "post", "/identity/sign-up"),
    route(Guard::Open, "post", "/identity/sign-up/confirm"),
    route(Guard::Session, "post", "/identity/token"),
    route(Guard::Session, "delete", "/identity/user"),
    route(Guard::Session, "patch", "/identity/user"),
    route(Guard::Session, "post", "/identity/user/address"),
    route(Guard::Open, "post", "/identity/user/address/confirm"),
    route(Guard::Session, "get", "/identity/user/factors"),
    route(Guard::Session, "post", "/identity/user/passkeys"),
    route(Guard::Session, "post", "/identity/user/passkeys/options"),
    route(Guard::Session, "patch", "/identity/user/passkeys/{id}"),
    route(Guard::Session, "delete", "/identity/user/passkeys/{id}"),
    route(Guard::Session, "post", "/identity/user/password"),
    route(Guard::Session, "post", "/identity/user/recovery-codes"),
    route(Guard::Session, "post", "/identity/user/totp"),
    route(Guard::Session, "delete", "/identity/user/totp"),
    route(Guard::Session, "post", "/identity/user/totp/confirm"),
    route(Guard::Administrator, "get", "/identity/waitlist"),
    route(Guard::Administrator, "delete", "/identity/waitlist/{id}"),
    route(
        Guard::Administrator,
        "post",
        "/identity/waitlist/{id}/invite",
    ),
    route(Guard::Token, "post", "/incident/create"),
    route(Guard::Token, "get", "/incident/list"),
    route(Guard::Token, "get", "/incident/{id}"),
    route(Guard::Token, "delete", "/incident/{id}"),
    route(Guard::Token, "patch", "/incident/{id}"),
    route(Guard::Token, "post", "/incident/{id}/components/attach"),
    route(Guard::Token, "post", "/incident/{id}/components/detach"),
    route(Guard::Token, "get", "/incident/{id}/components/list"),
    route(Guard::Token, "get", "/incident/{id}/components/unattached"),
    route(Guard::Token, "post", "/incident/{id}/updates/create"),
    route(Guard::Token, "post", "/incident/{id}/updates/delete"),
    route(Guard::Token, "get", "/incident/{id}/updates/list"),
    route(Guard::Token, "get", "/incident/{id}/updates/{update_id}"),
    route(Guard::Token, "patch", "/incident/{id}/updates/{update_id}"),
    route(Guard::Token, "post", "/maintenance/create"),
    route(Guard::Token, "get", "/maintenance/list"),
    route(Guard::Token, "get", "/maintenance/{id}"),
    route(Guard::Token, "delete", "/maintenance/{id}"),
    route(Guard::Token, "patch", "/maintenance/{id}"),
    route(Guard::Token, "post", "/maintenance/{id}/updates/create"),
    route(Guard::Token, "post", "/maintenance/{id}/updates/delete"),
    route(Guard::Token, "get", "/maintenance/{id}/updates/list"),
    route(Guard::Token, "get", "/maintenance/{id}/updates/{update_id}"),
    route(
        Guard::Token,
        "patch",
        "/maintenance/{id}/updates/{update_id}",
    ),
    route(Guard::Open, "get", "/status/{organisation}"),
    route(Guard::Open, "get", "/status/{organisation}/events"),
    route(Guard::Token, "post", "/subscriber"),
    route(Guard::Token, "get", "/subscriber/deliveries"),
    route(Guard::Token, "get", "/subscriber/export"),
    route(Guard::Token, "post", "/subscriber/import"),
    route(Guard::Token, "get", "/subscriber/list"),
    route(Guard::Token, "get", "/subscriber/preview"),
    route(Guard::Open, "post", "/subscriber/public"),
    route(Guard::Open, "post", "/subscriber/subscription"),
    route(Guard::Open, "patch", "/subscriber/subscription"),
    route(Guard::Open, "post", "/subscriber/unsubscribe"),
    route(Guard::Open, "get", "/subscriber/unsubscribe/one-click"),
    route(Guard::Open, "post", "/subscriber/unsubscribe/one-click"),
    route(Guard::Open, "post", "/subscriber/verify"),
    route(Guard::Token, "patch", "/subscriber/{id}"),
    route(Guard::Token, "delete", "/subscriber/{id}"),
    route(Guard::Token, "post", "/subscriber/{id}/rotate-secret"),
    route(Guard::Token, "post", "/subscriber/{id}/test"),
];

impl Route {
    /// Whether the path contains an identifier.
    pub(super) fn names_something(&self) -> bool {
        self.path.contains('{')
    }

    /// The path with the identifiers of this world in it.
    pub(super) fn path_in(&self, world: &World) -> String {
        let (_, rest) = self.path.split_once('/').unwrap();
        let id = match rest.split('/').next().unwrap() {
            "component" => &world.component,
            "component-group" => &world.component_group,
            "incident" => &world.incident,
            "api-key" => &world.api_key,
            "maintenance" => &world.maintenance,
            "subscriber" => &world.subscriber,
            "identity" if self.path.contains("waitlist") => &world.waiting,
            _ => &world.organisation,
        };
        let update = if rest.starts_with("incident") {
            &world.incident_update
        } else {
            &world.maintenance_update
        };
        let path = self
            .path
            .replace("{id}", id)
            .replace("{organisation}", &world.organisation);
        let path = path
            .replace("{update_id}", update)
            .replace("{user_id}", &world.admin_id)
            .replace("{period_id}", &world.period);
        path.replace("{invitation_id}", &world.invitation)
    }

    /// A valid body, so that only a missing permission can make the call fail.
    pub(super) fn body(&self, world: &World) -> Value {
        match (self.method, self.path) {
            ("patch", "/component-group/{id}") => json!({"name": "Intruded"}),
            ("post", "/component/order") => {
                json!({"groups": [
                    {"id": world.component_group, "components": [world.component]},
                    {"id": null, "components": [world.spare_component]},
                ]})
            }
            ("put", "/organisation/domain") => json!({"name": "intruded.example"}),
            ("patch", "/organisation") => json!({"pageTitle": "Intruded"}),
            ("put", "/incident/{id}/review") | ("post", "/incident/{id}/review/preview") => {
                json!({"body": "Intruded"})
            }
            ("patch", "/component/{id}") => json!({"name": "Intruded", "status": "MAJOR_OUTAGE"}),
            ("post", "/component/{id}/history/create") => {
                json!({"status": "DEGRADED", "startAt": "2020-01-01T00:00:00Z", "endAt": "2020-01-02T00:00:00Z"})
            }
            ("put", "/component/{id}/history/{period_id}") => {
                json!({"status": "DEGRADED", "startAt": "2021-01-01T00:00:00Z", "endAt": "2021-01-02T00:00:00Z"})
            }
            ("post", "/incident/create") => {
                json!({"title": "Intruded", "description": "It is", "components": []})
            }
            ("patch", "/incident/{id}" | "/maintenance/{id}") => json!({"title": "Intruded"}),
            ("post", "/incident/{id}/components/attach") => {
                json!({"components": [{"componentId": world.spare_component, "status": "DEGRADED"}]})
            }
            ("post", "/incident/{id}/components/detach") => {
                json!({"componentIds": [world.component]})
            }
            ("post", "/incident/{id}/updates/create") => {
                json!({"status": "MONITORING", "message": "Intruded"})
            }
            ("post", "/incident/{id}/updates/delete") => {
                json!({"incidentUpdateIds": [world.incident_update]})
            }
            (
                "patch",
                "/incident/{id}/updates/{update_id}" | "/maintenance/{id}/updates/{update_id}",
            ) => {
                json!({"message": "Intruded"})
            }
            ("post", "/maintenance/create") => {
                json!({"title": "Intruded", "description": "It is", "startAt": "2030-01-01T00:00:00Z", "components": []})
            }
            ("post", "/maintenance/{id}/updates/create") => {
                json!({"status": "IDENTIFIED", "message": "Intruded"})
            }
            ("post", "/maintenance/{id}/updates/delete") => {
                json!({"maintenanceUpdateIds": [world.maintenance_update]})
            }
            ("post", "/api-key/create") => json!({"name": "Intruded", "role": "editor"}),
            ("post", "/subscriber") => json!({"email": "intruded@example.com"}),
            ("patch", "/subscriber/{id}") => json!({"muteMaintenances": true}),
            ("patch", "/identity/organisations/{id}" | "/identity/user")
            | (
                "post",
                "/identity/organisations" | "/component/create" | "/component-group/create",
            ) => {
                json!({"name": "Intruded"})
            }
            ("post", "/identity/organisations/{id}/invitations") => {
                json!({"email": "intruded@example.com", "role": "admin"})
            }
            ("patch", "/identity/organisations/{id}/members/{user_id}") => json!({"role": "admin"}),
            ("post", "/identity/user/password") => {
                json!({"currentPassword": crate::app::PASSWORD, "newPassword": "an intruded password"})
            }
            ("put", "/identity/organisations/{id}/second-factor") => json!({"required": false}),
            ("post", "/identity/user/totp/confirm") => json!({"code": "123456"}),
            ("post", "/identity/re-authenticate") => json!({"password": crate::app::PASSWORD}),
            ("post", "/identity/invitations/accept") => json!({"token": "intruded"}),
            _ => json!({}),
        }
    }
}
