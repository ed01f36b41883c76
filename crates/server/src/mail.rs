//! Wires the mail.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::mail::Mailer;
use allclear_mail::file::FileMailer;
use allclear_mail::sender::Sender;

use crate::settings::Settings;

/// How mail goes out.
pub(crate) fn mailer(
    settings: &Settings,
    public_url: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn Mailer>, String> {
    let sender = Sender::new(&settings.mail_from, public_url, Arc::clone(clock))?;
    let folder = settings.data_dir.join("mail");
    let mailer = FileMailer::new(&folder, sender);
    Ok(Arc::new(mailer.map_err(|error| format!("mail to {}: {error}", folder.display()))?))
}
