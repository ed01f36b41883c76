//! The table of API calls, and a valid body for each.

use serde_json::{Value, json};

use super::sample::SampleOrganisation;

/// A call of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) method: &'static str,
    /// Below `/api/v1`, as the OpenAPI document writes it.
    pub(super) path: &'static str,
}

const fn route(method: &'static str, path: &'static str) -> Route {
    Route { method, path }
}

/// Every API call.
pub(super) const ROUTES: &[Route] = &[
    // Exists with Clerk only, and needs its signature: see crates/server/tests/it/clerk/webhook.rs.
    route("post", "/clerk/webhooks"),
    // Before new components and groups, which its body does not have.
    route("post", "/component/order"),
    route("post", "/component-group/create"),
    route("get", "/component-group/list"),
    route("get", "/component-group/{id}"),
    route("patch", "/component-group/{id}"),
    route("delete", "/component-group/{id}"),
    route("get", "/component-group/{id}/uptime"),
    route("get", "/component/order"),
    route("get", "/audit"),
    route("get", "/api-key/list"),
    route("post", "/api-key/create"),
    route("delete", "/api-key/{id}"),
    route("get", "/dashboard"),
    route("get", "/metrics"),
    route("get", "/organisation"),
    route("patch", "/organisation"),
    // Before the claim: without one it sends nothing.
    route("post", "/organisation/domain/verify"),
    route("put", "/organisation/domain"),
    route("delete", "/organisation/domain"),
    route("get", "/incident/{id}/review"),
    route("put", "/incident/{id}/review"),
    route("delete", "/incident/{id}/review"),
    route("post", "/incident/{id}/review/preview"),
    route("post", "/incident/{id}/review/publish"),
    route("post", "/component/create"),
    route("get", "/component/list"),
    route("get", "/component/{id}"),
    route("get", "/component/{id}/history"),
    route("get", "/component/{id}/uptime"),
    route("post", "/component/{id}/history/create"),
    route("put", "/component/{id}/history/{period_id}"),
    route("delete", "/component/{id}/history/{period_id}"),
    route("delete", "/component/{id}"),
    route("patch", "/component/{id}"),
    route("post", "/component/{id}/status"),
    route("get", "/configuration"),
    route("post", "/identity/invitations/accept"),
    route("post", "/identity/invitations/inspect"),
    route("get", "/identity/oidc/callback"),
    route("post", "/identity/oidc/{provider}/re-authenticate"),
    route("post", "/identity/oidc/{provider}/start"),
    route("post", "/identity/organisations"),
    route("delete", "/identity/organisations/{id}"),
    route("patch", "/identity/organisations/{id}"),
    route("get", "/identity/organisations/{id}/invitations"),
    route("post", "/identity/organisations/{id}/invitations"),
    route(
        "delete",
        "/identity/organisations/{id}/invitations/{invitation_id}",
    ),
    route("get", "/identity/organisations/{id}/members"),
    route("delete", "/identity/organisations/{id}/members/{user_id}"),
    route("patch", "/identity/organisations/{id}/members/{user_id}"),
    route("get", "/identity/organisations/{id}/second-factor"),
    route("put", "/identity/organisations/{id}/second-factor"),
    route("post", "/identity/password-reset"),
    route("post", "/identity/password-reset/confirm"),
    // Before the sessions end.
    route("post", "/identity/re-authenticate"),
    route("post", "/identity/re-authenticate/passkey"),
    route("post", "/identity/re-authenticate/passkey/options"),
    route("get", "/identity/session"),
    route("post", "/identity/session/second-factor"),
    route("get", "/identity/sessions"),
    route("delete", "/identity/sessions"),
    route("delete", "/identity/sessions/{id}"),
    route("post", "/identity/sign-in"),
    route("post", "/identity/sign-in/code"),
    route("post", "/identity/sign-in/passkey"),
    route("post", "/identity/sign-in/passkey/options"),
    route("post", "/identity/sign-out"),
    route("post", "/identity/sign-up"),
    route("post", "/identity/sign-up/confirm"),
    route("post", "/identity/token"),
    route("delete", "/identity/user"),
    route("patch", "/identity/user"),
    route("post", "/identity/user/address"),
    route("post", "/identity/user/address/confirm"),
    route("get", "/identity/user/factors"),
    route("post", "/identity/user/passkeys"),
    route("post", "/identity/user/passkeys/options"),
    route("patch", "/identity/user/passkeys/{id}"),
    route("delete", "/identity/user/passkeys/{id}"),
    route("post", "/identity/user/password"),
    route("post", "/identity/user/recovery-codes"),
    route("post", "/identity/user/totp"),
    route("delete", "/identity/user/totp"),
    route("post", "/identity/user/totp/confirm"),
    route("get", "/identity/waitlist"),
    route("delete", "/identity/waitlist/{id}"),
    route("post", "/identity/waitlist/{id}/invite"),
    route("post", "/incident/create"),
    route("get", "/incident/list"),
    route("get", "/incident/{id}"),
    route("delete", "/incident/{id}"),
    route("patch", "/incident/{id}"),
    route("patch", "/incident/{id}/components"),
    route("post", "/incident/{id}/components/attach"),
    route("post", "/incident/{id}/components/detach"),
    route("get", "/incident/{id}/components/list"),
    route("get", "/incident/{id}/components/unattached"),
    route("post", "/incident/{id}/updates/create"),
    route("post", "/incident/{id}/updates/delete"),
    route("get", "/incident/{id}/updates/list"),
    route("get", "/incident/{id}/updates/{update_id}"),
    route("patch", "/incident/{id}/updates/{update_id}"),
    route("post", "/maintenance/create"),
    route("get", "/maintenance/list"),
    route("get", "/maintenance/{id}"),
    route("delete", "/maintenance/{id}"),
    route("patch", "/maintenance/{id}"),
    route("post", "/maintenance/{id}/updates/create"),
    route("post", "/maintenance/{id}/updates/delete"),
    route("get", "/maintenance/{id}/updates/list"),
    route("get", "/maintenance/{id}/updates/{update_id}"),
    route("patch", "/maintenance/{id}/updates/{update_id}"),
    route("get", "/status/{organisation}"),
    route("get", "/status/{organisation}/events"),
    route("post", "/subscriber"),
    route("get", "/subscriber/deliveries"),
    route("get", "/subscriber/export"),
    route("post", "/subscriber/import"),
    route("get", "/subscriber/list"),
    route("get", "/subscriber/preview"),
    route("post", "/subscriber/public"),
    route("post", "/subscriber/subscription"),
    route("patch", "/subscriber/subscription"),
    route("post", "/subscriber/unsubscribe"),
    route("get", "/subscriber/unsubscribe/one-click"),
    route("post", "/subscriber/unsubscribe/one-click"),
    route("post", "/subscriber/verify"),
    route("patch", "/subscriber/{id}"),
    route("delete", "/subscriber/{id}"),
    route("post", "/subscriber/{id}/rotate-secret"),
    route("post", "/subscriber/{id}/test"),
    route("post", "/subscriber/{id}/verification"),
];

impl Route {
    /// Whether the path contains an identifier.
    pub(super) fn names_something(&self) -> bool {
        self.path.contains('{')
    }

    /// The path with the identifiers of this organisation in it.
    pub(super) fn path_in(&self, sample: &SampleOrganisation) -> String {
        let (_, rest) = self.path.split_once('/').unwrap();
        let id = match rest.split('/').next().unwrap() {
            "component" => &sample.component,
            "component-group" => &sample.component_group,
            "incident" => &sample.incident,
            "api-key" => &sample.api_key,
            "maintenance" => &sample.maintenance,
            "subscriber" => &sample.subscriber,
            "identity" if self.path.contains("waitlist") => &sample.waiting,
            // Names neither a session nor a passkey.
            "identity" if !self.path.contains("organisations") => &sample.admin_id,
            _ => &sample.organisation,
        };
        let update = if rest.starts_with("incident") {
            &sample.incident_update
        } else {
            &sample.maintenance_update
        };
        let path = self
            .path
            .replace("{id}", id)
            .replace("{organisation}", &sample.organisation);
        let path = path
            .replace("{update_id}", update)
            .replace("{user_id}", &sample.admin_id)
            .replace("{period_id}", &sample.period);
        path.replace("{invitation_id}", &sample.invitation)
    }

    /// Whether the call takes a body.
    pub(super) fn has_body(&self) -> bool {
        matches!(self.method, "post" | "put" | "patch")
            || (self.method, self.path) == ("delete", "/identity/user")
    }

    /// A valid body, so that only a missing permission can make the call fail.
    pub(super) fn body(&self, sample: &SampleOrganisation) -> Value {
        match (self.method, self.path) {
            ("patch", "/component-group/{id}") => json!({"name": "Intruded"}),
            ("post", "/component/order") => {
                json!({"groups": [
                    {"id": sample.component_group, "components": [sample.component]},
                    {"id": null, "components": [sample.spare_component]},
                ]})
            }
            ("put", "/organisation/domain") => json!({"name": "intruded.example"}),
            ("patch", "/organisation") => json!({"pageTitle": "Intruded"}),
            ("put", "/incident/{id}/review") | ("post", "/incident/{id}/review/preview") => {
                json!({"body": "Intruded"})
            }
            ("patch", "/component/{id}") => json!({"name": "Intruded", "status": "MAJOR_OUTAGE"}),
            ("post", "/component/{id}/status") => json!({"status": "PARTIAL_OUTAGE"}),
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
                json!({"components": [{"componentId": sample.spare_component, "status": "DEGRADED"}]})
            }
            ("patch", "/incident/{id}/components") => {
                json!({"components": [{"componentId": sample.component, "status": "MAJOR_OUTAGE"}]})
            }
            ("post", "/incident/{id}/components/detach") => {
                json!({"componentIds": [sample.component]})
            }
            ("post", "/incident/{id}/updates/create") => {
                json!({"status": "MONITORING", "message": "Intruded"})
            }
            ("post", "/incident/{id}/updates/delete") => {
                json!({"incidentUpdateIds": [sample.incident_update]})
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
                json!({"maintenanceUpdateIds": [sample.maintenance_update]})
            }
            ("post", "/api-key/create") => json!({"name": "Intruded", "role": "editor"}),
            ("post", "/subscriber" | "/identity/user/address") => {
                json!({"email": "intruded@example.com"})
            }
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
