//! Wires what programs use: API keys, their rate limit, and repeatable requests.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::api_key::ApiKeys;
use allclear_application::idempotency::Idempotency;
use allclear_transport::limit::key_usage::KeyUsage;

use crate::infrastructure::Infrastructure;
use crate::tasks::Tasks;

/// Interval of the removal of old responses.
const PRUNE_INTERVAL: Duration = Duration::from_mins(15);

/// Services of programs.
pub(crate) struct AutomationServices {
    pub(crate) api_keys: Arc<ApiKeys>,
    pub(crate) key_usage: Arc<KeyUsage>,
    pub(crate) idempotency: Arc<Idempotency>,
}

impl AutomationServices {
    pub(crate) fn new(infra: &Infrastructure) -> Self {
        let api_keys = ApiKeys::new(infra.store(), infra.clock(), infra.background.clone());
        let hmac_key = infra.installation.hmac_key.clone();
        let idempotency = Idempotency::new(infra.store(), infra.clock(), hmac_key);
        Self {
            api_keys: Arc::new(api_keys),
            key_usage: Arc::new(KeyUsage::new(infra.settings.usage.api_key())),
            idempotency: Arc::new(idempotency),
        }
    }

    /// Starts the removal of old responses.
    pub(crate) fn start(&self, tasks: &mut Tasks) {
        let idempotency = Arc::clone(&self.idempotency);
        tasks.repeat_removal("prune_responses", PRUNE_INTERVAL, move || {
            let idempotency = Arc::clone(&idempotency);
            async move { idempotency.prune().await }
        });
    }
}
