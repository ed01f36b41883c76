//! The program and the machine of a client: for the list of sessions, and for mails about accounts
//! and API keys.

use actix_web::http::header;
use actix_web::{HttpRequest, web};
use allclear_application::session::Client;

use crate::built_in::cookie::marks;
use crate::server::client_address::TrustedProxies;

/// Maximum characters of an unknown program's name.
const MAX_NAME_LENGTH: usize = 40;

/// Browsers, each with the mark in its `User-Agent`. A browser's mark is also in the headers of the
/// browsers before it.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Operating systems, likewise.
const SYSTEMS: &[(&str, &str)] = &[
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
];

/// The client of a request.
pub(crate) fn client_of(request: &HttpRequest) -> Client {
    let agent = request.headers().get(header::USER_AGENT);
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    Client {
        device: agent.and_then(|agent| agent.to_str().ok()).and_then(device),
        address: proxies.and_then(|proxies| proxies.client(request)),
        marks: marks(request),
    }
}

/// Browser and operating system, or the first name in the header; `None` if there is neither.
fn device(agent: &str) -> Option<String> {
    let named = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(mark, _)| agent.contains(mark));
        found.map(|(_, name)| *name)
    };
    match (named(BROWSERS), named(SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (Some(browser), None) => Some(browser.to_owned()),
        (None, _) => {
            let name = agent.split(['/', ' ']).next().unwrap_or_default();
            let is_name = !name.is_empty() && name.len() <= MAX_NAME_LENGTH;
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            (is_name && name.bytes().all(plain)).then(|| name.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_and_system_are_named() {
        let mozilla = |rest: &str| format!("Mozilla/5.0 {rest}");
        let gecko = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (agent, expected) in [
            (
                mozilla("(X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"),
                "Firefox on Linux",
            ),
            (
                mozilla(&format!(
                    "(Windows NT 10.0; Win64; x64) {gecko} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0"
                )),
                "Edge on Windows",
            ),
            (
                mozilla(&format!(
                    "(Linux; Android 10; K) {gecko} Chrome/142.0.0.0 Mobile Safari/537.36"
                )),
                "Chrome on Android",
            ),
            (
                mozilla(
                    "(iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     Version/26.0 Mobile/15E148 Safari/604.1",
                ),
                "Safari on iPhone",
            ),
            (
                mozilla(&format!(
                    "(Macintosh; Intel Mac OS X 10_15_7) {gecko} Chrome/142.0.0.0 Safari/537.36"
                )),
                "Chrome on macOS",
            ),
            ("curl/8.16.0".to_owned(), "curl"),
        ] {
            assert_eq!(device(&agent).as_deref(), Some(expected), "{agent}");
        }
    }

    #[test]
    fn agent_without_a_plain_name_is_unknown() {
        for agent in ["", "/", "<script>", &"x".repeat(41), "\u{202E}evil"] {
            assert_eq!(device(agent), None, "{agent}");
        }
    }
}
