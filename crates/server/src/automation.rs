//! Wires what programs use: API keys, their rate limit, and repeatable requests.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::api_key::ApiKeys;
use allclear_application::background::Background;
use allclear_application::clock::Clock;
use allclear_application::idempotency::Idempotency;
use allclear_persistence::database::Database;
use allclear_transport::limit::key_usage::KeyUsage;

use crate::identity;
use crate::settings::Settings;
use crate::tasks::Tasks;

/// Interval of the removal of old responses.
const PRUNE_INTERVAL: Duration = Duration::from_mins(15);

/// Services of programs.
pub(crate) struct Automation {
    pub(crate) api_keys: Arc<ApiKeys>,
    pub(crate) key_usage: Arc<KeyUsage>,
    pub(crate) idempotency: Arc<Idempotency>,
}

impl Automation {
    /// Services over a database.
    pub(crate) async fn new(
        settings: &Settings,
        database: &Database,
        clock: &Arc<dyn Clock>,
        background: &Background,
    ) -> Result<Self, String> {
        let store = Arc::new(database.clone());
        let (_, hmac_key) = identity::installation(database, &**clock).await?;
        let api_keys = ApiKeys::new(
            Arc::clone(&store) as _,
            Arc::clone(clock),
            background.clone(),
        );
        Ok(Self {
            api_keys: Arc::new(api_keys),
            key_usage: Arc::new(KeyUsage::new(settings.usage.api_key())),
            idempotency: Arc::new(Idempotency::new(store, Arc::clone(clock), hmac_key)),
        })
    }

    /// Starts the removal of old responses.
    pub(crate) fn start(&self, tasks: &mut Tasks) {
        let idempotency = Arc::clone(&self.idempotency);
        tasks.repeat("prune_responses", PRUNE_INTERVAL, move || {
            let idempotency = Arc::clone(&idempotency);
            async move { idempotency.prune().await }
        });
    }
}
