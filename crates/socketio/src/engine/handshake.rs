//! Data of the request that opened a session.

use std::net::IpAddr;
use std::{fmt, str};

use actix_web::HttpRequest;

use crate::settings::Settings;

/// The query and some headers of the opening request, copied into one compact block. The request's
/// own headers would keep its whole read buffer in memory for the whole session.
#[derive(Clone)]
pub struct Handshake {
    /// The query, then names and values of the headers.
    text: Box<[u8]>,
    query: u32,
    /// End offsets of names and values.
    ends: Box<[u32]>,
    address: Option<IpAddr>,
}

impl Handshake {
    /// Copies the query and the headers that the settings name; `None` if they exceed the settings'
    /// bound. `address` is the client's.
    pub(crate) fn of(
        request: &HttpRequest,
        settings: &Settings,
        address: Option<IpAddr>,
    ) -> Option<Self> {
        let mut text = request.query_string().as_bytes().to_vec();
        let query = offset(&text);
        let mut ends = Vec::new();
        for (name, value) in request.headers() {
            let is_kept = settings
                .handshake_headers
                .is_none_or(|kept| kept.contains(&name.as_str()));
            if !is_kept {
                continue;
            }
            text.extend_from_slice(name.as_str().as_bytes());
            ends.push(offset(&text));
            text.extend_from_slice(value.as_bytes());
            ends.push(offset(&text));
            if text.len() > settings.max_handshake_bytes {
                return None;
            }
        }
        let kept = Self {
            query,
            ends: ends.into(),
            address,
            text: text.into(),
        };
        (kept.text.len() <= settings.max_handshake_bytes).then_some(kept)
    }

    /// The query string, without its `?`.
    #[must_use]
    pub fn query(&self) -> &str {
        self.text
            .get(..self.query as usize)
            .and_then(|bytes| str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// The kept headers in their order; names are in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let starts = std::iter::once(self.query).chain(self.ends.iter().copied());
        let parts: Vec<&[u8]> = starts
            .zip(self.ends.iter().copied())
            .map(|(start, end)| {
                self.text
                    .get(start as usize..end as usize)
                    .unwrap_or_default()
            })
            .collect();
        (0..parts.len() / 2).map(move |i| {
            (
                str::from_utf8(parts[2 * i]).unwrap_or_default(),
                parts[2 * i + 1],
            )
        })
    }

    /// The first header with that name (in lower case), if it is kept and its value is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(key, _)| *key == name)
            .and_then(|(_, value)| str::from_utf8(value).ok())
    }

    /// The address of the client, as [`Admission::address`](super::Admission::address) returns it.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }
}

/// Shows header names only, because values are credentials.
impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers().map(|(name, _)| name).collect();
        f.debug_struct("Handshake")
            .field("address", &self.address)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

/// The HTTP server bounds request heads far below 4 GiB.
fn offset(text: &[u8]) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn request(note: &str) -> HttpRequest {
        TestRequest::with_uri("/socket.io/?EIO=4&transport=polling")
            .insert_header(("Authorization", "Bearer abc"))
            .insert_header(("X-Note", note))
            .to_http_request()
    }

    #[test]
    fn only_the_configured_headers_are_kept() {
        let handshake = Handshake::of(&request("x"), &Settings::default(), None).unwrap();
        assert_eq!(handshake.query(), "EIO=4&transport=polling");
        assert_eq!(handshake.header("authorization"), Some("Bearer abc"));
        assert_eq!(handshake.header("x-note"), None);
        assert!(!format!("{handshake:?}").contains("abc"));
        let all = Settings {
            handshake_headers: None,
            ..Settings::default()
        };
        let handshake = Handshake::of(&request(""), &all, None).unwrap();
        assert_eq!(handshake.header("x-note"), Some(""));
    }

    #[test]
    fn handshake_is_bounded_by_what_is_kept() {
        let settings = Settings::default();
        let long = "x".repeat(settings.max_handshake_bytes);
        assert!(Handshake::of(&request(&long), &settings, None).is_some());
        let all = Settings {
            handshake_headers: None,
            ..settings.clone()
        };
        assert!(Handshake::of(&request(&long), &all, None).is_none());
        let query = TestRequest::with_uri(&format!("/socket.io/?{long}x")).to_http_request();
        assert!(Handshake::of(&query, &settings, None).is_none());
    }
}
