//! Clerk's Backend API: <https://clerk.com/docs/reference/backend-api>.

use allclear_application::directory::Profiles;
use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::application_keys::SecretKey;
use super::http;
use super::webhook_event::User;
use crate::http_client;

/// The requested version of the API, which introduced version 2 of the session tokens
/// (<https://clerk.com/docs/guides/development/upgrading/versioning/available-versions>). The
/// fields used here exist in all versions.
const VERSION: &str = "2025-04-10";

/// Client of Clerk's API for names and addresses.
pub struct BackendApi {
    client: Client,
    address: Url,
    key: SecretKey,
}

/// An organisation (`packages/backend/src/api/resources/JSON.ts`, `OrganizationJSON`).
#[derive(Deserialize)]
struct Organisation {
    name: String,
}

impl BackendApi {
    /// Base URL of the API.
    pub const ADDRESS: &str = "https://api.clerk.com";

    /// A client for the API at this address, with this key.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn new(address: Url, key: SecretKey) -> Result<Self, String> {
        Ok(Self {
            client: http_client::client(&address)?,
            address,
            key,
        })
    }

    /// Returns the object at `/v1/{collection}/{id}`; `None` if it does not exist.
    async fn read<T: DeserializeOwned>(
        &self,
        collection: &str,
        id: &str,
    ) -> Result<Option<T>, Error> {
        let mut address = self.address.clone();
        let path = address.path_segments_mut();
        path.map_err(|()| Error::internal("an address without a path"))?
            .pop_if_empty()
            .extend(["v1", collection, id]);
        let request = self
            .client
            .get(address)
            .bearer_auth(self.key.reveal())
            .header("clerk-api-version", VERSION);
        let response = request.send().await.map_err(http::unavailable)?;
        match response.status() {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                let body = http::body(response).await?;
                serde_json::from_slice(&body)
                    .map(Some)
                    .map_err(|error| Error::Unavailable(error.into()))
            }
            status => Err(Error::Unavailable(
                format!("Clerk's Backend API responds with {status} to a request for {collection}")
                    .into(),
            )),
        }
    }
}

#[async_trait]
impl Profiles for BackendApi {
    async fn user(&self, id: &str) -> Result<Option<String>, Error> {
        Ok(self
            .read::<User>("users", id)
            .await?
            .and_then(|user| user.name()))
    }

    async fn address(&self, id: &str) -> Result<Option<String>, Error> {
        let found = self.read::<User>("users", id).await?;
        Ok(found.and_then(User::address))
    }

    async fn organisation(&self, id: &OrganisationId) -> Result<Option<String>, Error> {
        Ok(self
            .read::<Organisation>("organizations", id.as_str())
            .await?
            .map(|found| found.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use crate::clerk::fixture::application;
    use crate::fixture::FakeProvider;

    fn api(provider: &FakeProvider) -> BackendApi {
        BackendApi::new(
            provider.address.clone(),
            SecretKey::parse("sk_test_abc", &application()).unwrap(),
        )
        .unwrap()
    }

    #[tokio::test]
    async fn only_a_verified_primary_address_is_returned() {
        let provider = FakeProvider::start().await;
        let api = api(&provider);
        let address = |id: &str, status: &str| json!({"id": id, "email_address": format!("{id}@example.com"), "verification": {"status": status}});
        for (primary, expected) in [
            ("work", Some("work@example.com")),
            ("new", None),
            ("gone", None),
        ] {
            let user = json!({
                "id": "user_1", "primary_email_address_id": primary,
                "email_addresses": [address("new", "unverified"), address("work", "verified")],
            });
            provider.set("/v1/users/user_1", 200, &user);
            let found = api.address("user_1").await.unwrap();
            assert_eq!(found.as_deref(), expected, "{primary}");
        }
        assert_eq!(api.address("user_2").await.unwrap(), None);
    }

    #[tokio::test]
    async fn names_are_asked_for_with_the_secret_key() {
        let provider = FakeProvider::start().await;
        provider.set(
            "/v1/users/user_1",
            200,
            &json!({"id": "user_1", "first_name": "Ann", "last_name": "Lee"}),
        );
        provider.set(
            "/v1/organizations/org_1",
            200,
            &json!({"id": "org_1", "name": "Acme", "slug": "acme"}),
        );
        let api = api(&provider);
        assert_eq!(
            api.user("user_1").await.unwrap().as_deref(),
            Some("Ann Lee")
        );
        let organisation = OrganisationId::parse("org_1").unwrap();
        assert_eq!(
            api.organisation(&organisation).await.unwrap().as_deref(),
            Some("Acme")
        );
        for head in provider.requests.lock().unwrap().iter() {
            assert!(
                head.contains("authorization: Bearer sk_test_abc\r\n"),
                "{head}"
            );
            assert!(head.contains("clerk-api-version: 2025-04-10\r\n"), "{head}");
        }
    }

    #[tokio::test]
    async fn nobody_has_no_name_and_a_refusal_is_not_nobody() {
        let provider = FakeProvider::start().await;
        let api = api(&provider);
        assert_eq!(api.user("user_9").await.unwrap(), None);
        for status in [401, 429, 500, 302] {
            provider.set("/v1/users/user_1", status, &json!({"errors": []}));
            let refused = api.user("user_1").await;
            assert!(matches!(refused, Err(Error::Unavailable(_))), "{status}");
        }
        provider.set("/v1/users/user_1", 200, &json!("Ann"));
        assert!(matches!(
            api.user("user_1").await,
            Err(Error::Unavailable(_))
        ));
    }

    #[tokio::test]
    async fn an_identifier_stays_one_segment_of_the_path() {
        let provider = FakeProvider::start().await;
        let api = api(&provider);
        api.user("../organizations/org_1").await.unwrap();
        let requests = provider.requests.lock().unwrap().join("");
        assert!(
            requests.starts_with("GET /v1/users/..%2Forganizations%2Forg_1 "),
            "{requests}"
        );
    }
}
