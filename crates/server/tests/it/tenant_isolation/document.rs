//! The OpenAPI document of a server: what each call declares.

use allclear_domain::membership::Role;
use serde_json::Value;

use super::route::{ROUTES, Route};
use crate::app::{TestApp, cookie_client, send};

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

impl Guard {
    /// Those of the session cookie.
    pub(super) const SESSION: [Self; 4] = [
        Self::Session,
        Self::Member,
        Self::Admin,
        Self::Administrator,
    ];
}

/// The document of a server.
pub(super) struct Document(Value);

impl Document {
    pub(super) async fn of(app: &TestApp) -> Self {
        Self(
            send(cookie_client().get(app.call("/openapi.json")))
                .await
                .body,
        )
    }

    /// Method and path of each call.
    pub(super) fn calls(&self) -> Vec<(String, String)> {
        let paths = self.0["paths"].as_object().unwrap();
        let calls = paths.iter().flat_map(|(path, calls)| {
            let path = path.strip_prefix("/api/v1").unwrap();
            let methods = calls.as_object().unwrap().keys();
            let methods = methods.filter(|key| *key != "parameters");
            methods.map(|method| (method.clone(), path.to_owned()))
        });
        calls.collect()
    }

    /// The calls of the table with one of these guards.
    pub(super) fn routes(&self, guards: &[Guard]) -> Vec<&'static Route> {
        let routes = ROUTES.iter();
        let routes = routes.filter(|route| guards.contains(&self.guard(route)));
        routes.collect()
    }

    /// The permissions of each role.
    pub(super) fn permissions(&self) -> &Value {
        &self.0["components"]["schemas"]["Role"]["x-permissions"]
    }

    fn operation(&self, route: &Route) -> &Value {
        &self.0["paths"][format!("/api/v1{}", route.path)][route.method]
    }

    /// The scopes that a call declares for a security scheme; `None` if the call does not accept
    /// the scheme.
    fn declared(&self, route: &Route, scheme: &str) -> Option<Vec<&str>> {
        let mut requirements = self.operation(route)["security"].as_array()?.iter();
        let words = requirements.find_map(|requirement| requirement.get(scheme))?;
        let words = words.as_array().unwrap().iter();
        Some(words.map(|word| word.as_str().unwrap()).collect())
    }

    /// The role that a call requires in an organisation, of a token or of a session.
    pub(super) fn role(&self, route: &Route) -> Role {
        let declared = self.declared(route, "bearer");
        let declared = declared.or_else(|| self.declared(route, "session"));
        let Some([role]) = declared.as_deref() else {
            panic!("{route:?} declares {declared:?}");
        };
        role.parse().unwrap()
    }

    /// Whether a call takes an API key.
    pub(super) fn takes_keys(&self, route: &Route) -> bool {
        self.declared(route, "apiKey").is_some()
    }

    /// Whether a call needs a recent authentication.
    pub(super) fn needs_recent_authentication(&self, route: &Route) -> bool {
        self.operation(route)["x-recent-authentication"] == true
    }

    /// What a call requires.
    pub(super) fn guard(&self, route: &Route) -> Guard {
        if let Some(words) = self.declared(route, "bearer") {
            assert_eq!(words.len(), 1, "{route:?} declares one role");
            return Guard::Token;
        }
        let Some(words) = self.declared(route, "session") else {
            return Guard::Open;
        };
        match words.first() {
            None => Guard::Session,
            Some(&"viewer") => Guard::Member,
            Some(&"admin") => Guard::Admin,
            Some(&"administrator") => Guard::Administrator,
            Some(other) => panic!("{route:?} declares {other}"),
        }
    }
}
