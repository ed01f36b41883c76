//! What is kept of the request that opened a session.

use std::{fmt, net::SocketAddr, str};

use actix_web::HttpRequest;

/// The opening request, copied into one compact block: the request's own headers would keep its whole read buffer alive for
/// as long as the session lasts.
#[derive(Clone)]
pub struct Handshake {
    /// Query, then each header as name and value, one after the other.
    text: Box<[u8]>,
    query: u32,
    /// Ends of names and values, in turn.
    ends: Box<[u32]>,
    peer: Option<SocketAddr>,
}

impl Handshake {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let mut text = request.query_string().as_bytes().to_vec();
        let query = offset(&text);
        let mut ends = Vec::with_capacity(request.headers().len() * 2);
        for (name, value) in request.headers() {
            text.extend_from_slice(name.as_str().as_bytes());
            ends.push(offset(&text));
            text.extend_from_slice(value.as_bytes());
            ends.push(offset(&text));
        }
        Self {
            text: text.into(),
            query,
            ends: ends.into(),
            peer: request.peer_addr(),
        }
    }

    /// The query string, without its `?`.
    #[must_use]
    pub fn query(&self) -> &str {
        self.text
            .get(..self.query as usize)
            .and_then(|bytes| str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// The headers in the order they came; names are in lower case.
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

    /// The first header of that name (in lower case), if its value is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(key, _)| *key == name)
            .and_then(|(_, value)| str::from_utf8(value).ok())
    }

    /// The address the connection came from: a proxy's, where there is one.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }
}

/// Names the headers only: values are credentials.
impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers().map(|(name, _)| name).collect();
        f.debug_struct("Handshake")
            .field("peer", &self.peer)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

/// Request heads are bounded far below 4 GiB by the HTTP server.
fn offset(text: &[u8]) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn headers_and_query_are_found_again() {
        let request = TestRequest::with_uri("/socket.io/?EIO=4&transport=polling")
            .insert_header(("Authorization", "Bearer abc"))
            .insert_header(("X-Empty", ""))
            .to_http_request();
        let handshake = Handshake::of(&request);
        assert_eq!(handshake.query(), "EIO=4&transport=polling");
        assert_eq!(handshake.header("authorization"), Some("Bearer abc"));
        assert_eq!(handshake.header("x-empty"), Some(""));
        assert_eq!(handshake.header("cookie"), None);
        assert!(!format!("{handshake:?}").contains("abc"));
    }
}
