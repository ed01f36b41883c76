use serde_json::json;

use super::Setup;
use super::fake_clerk::token;
use crate::app::mailed_token;

#[tokio::test(flavor = "multi_thread")]
async fn person_who_creates_a_key_is_mailed_at_the_address_from_clerk() {
    let setup = Setup::start().await;
    let address = json!({"id": "idn_1", "email_address": "ann@example.com", "verification": {"status": "verified"}});
    let user = json!({"id": "user_1", "first_name": "Ann", "primary_email_address_id": "idn_1", "email_addresses": [address]});
    setup.clerk.set("/v1/users/user_1", 200, user);
    let ann = token("user_1", "org_1");
    let key = json!({"name": "CI", "role": "viewer"});
    setup.create(&ann, "/api-key/create", key).await;
    let folder = setup.app.folder.path();
    let name = mailed_token(folder, "ann@example.com", "Its name is: ").await;
    assert_eq!(name, "CI");
}
