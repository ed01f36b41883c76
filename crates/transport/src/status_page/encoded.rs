//! Response bodies in every supported content coding.

use std::io::Write;

use actix_web::http::header::{self, HeaderMap, HeaderValue};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A body and its compressed forms.
#[derive(Debug, Clone)]
pub(crate) struct Encoded {
    plain: Bytes,
    gzip: Bytes,
    brotli: Bytes,
}

/// Supported content codings (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Uncompressed.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 7932.
    Brotli,
}

impl Encoded {
    /// Compresses a body. Takes milliseconds, so it must not run in a worker thread.
    #[must_use]
    pub(crate) fn new(plain: Vec<u8>) -> Self {
        let gzip = gzip(&plain);
        let mut compressed = Vec::new();
        // A window of 256 KiB: initialising a larger one takes longer than compressing the page.
        let parameters = brotli::enc::BrotliEncoderParams {
            quality: 5,
            lgwin: 18,
            ..Default::default()
        };
        if brotli::BrotliCompress(&mut plain.as_slice(), &mut compressed, &parameters).is_err() {
            compressed.clear();
        }
        Self {
            plain: exact(plain),
            gzip: exact(gzip),
            brotli: exact(compressed),
        }
    }

    /// Compresses a small body by gzip alone, which takes microseconds.
    #[must_use]
    pub(crate) fn gzipped(plain: Vec<u8>) -> Self {
        let gzip = gzip(&plain);
        Self {
            plain: exact(plain),
            gzip: exact(gzip),
            brotli: Bytes::new(),
        }
    }

    /// A body in the forms that a build made.
    #[must_use]
    pub(crate) fn precompressed(
        plain: Option<Bytes>,
        gzip: Option<Bytes>,
        brotli: Option<Bytes>,
    ) -> Self {
        Self {
            plain: plain.unwrap_or_default(),
            gzip: gzip.unwrap_or_default(),
            brotli: brotli.unwrap_or_default(),
        }
    }

    /// A copy that shares no memory.
    #[must_use]
    pub(crate) fn deep_copy(&self) -> Self {
        let [plain, gzip, brotli] =
            [&self.plain, &self.gzip, &self.brotli].map(|form| Bytes::copy_from_slice(form));
        Self {
            plain,
            gzip,
            brotli,
        }
    }

    /// The uncompressed body.
    pub(crate) const fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// The body in gzip's form; empty if there is none.
    pub(crate) const fn gzip(&self) -> &Bytes {
        &self.gzip
    }

    /// Size of all forms in bytes.
    #[must_use]
    pub(crate) fn size(&self) -> u64 {
        [&self.plain, &self.gzip, &self.brotli]
            .into_iter()
            .map(|form| form.len() as u64)
            .sum()
    }

    /// The smallest form that the client accepts, and its content coding.
    pub(crate) fn pick(&self, request_headers: &HeaderMap) -> (Coding, Bytes) {
        let accepted = request_headers
            .get(header::ACCEPT_ENCODING)
            .map_or(Accepted::default(), Accepted::of);
        if accepted.brotli && !self.brotli.is_empty() {
            (Coding::Brotli, self.brotli.clone())
        } else if accepted.gzip && !self.gzip.is_empty() {
            (Coding::Gzip, self.gzip.clone())
        } else {
            (Coding::Identity, self.plain.clone())
        }
    }
}

/// Bytes without the spare capacity of a vector, which [`Encoded::size`] does not count.
fn exact(bytes: Vec<u8>) -> Bytes {
    bytes.into_boxed_slice().into()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory does not fail.
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// Content codings that a client accepts beside identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Accepted {
    brotli: bool,
    gzip: bool,
}

impl Coding {
    /// Value of `Content-Encoding`; `None` for identity.
    #[must_use]
    pub(crate) const fn header(self) -> Option<HeaderValue> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some(HeaderValue::from_static("gzip")),
            Self::Brotli => Some(HeaderValue::from_static("br")),
        }
    }
}

impl Accepted {
    /// The codings that `Accept-Encoding` allows (RFC 9110, section 12.5.3). actix's header type
    /// would prefer the client's order, and allocate for every request.
    fn of(header: &HeaderValue) -> Self {
        let Ok(value) = header.to_str() else {
            return Self::default();
        };
        let (mut brotli, mut gzip) = (false, false);
        for offer in value.split(',') {
            let mut parts = offer.split(';');
            let name = parts.next().unwrap_or_default().trim();
            let refused = parts.any(|part| {
                let weight = part
                    .trim()
                    .strip_prefix("q=")
                    .and_then(|weight| weight.trim().parse::<f32>().ok());
                weight.is_some_and(|weight| weight <= 0.0)
            });
            brotli |= name.eq_ignore_ascii_case("br") && !refused;
            gzip |= name.eq_ignore_ascii_case("gzip") && !refused;
        }
        Self { brotli, gzip }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn best_accepted_coding_is_chosen() {
        let rows = [
            ("gzip, deflate, br, zstd", Coding::Brotli),
            ("gzip", Coding::Gzip),
            ("br;q=0, gzip;q=0.5", Coding::Gzip),
            ("GZIP", Coding::Gzip),
            ("identity", Coding::Identity),
            ("", Coding::Identity),
        ];
        let encoded = Encoded::new(b"a body".to_vec());
        for (accepted, coding) in rows {
            assert_eq!(encoded.pick(&accepting(accepted)).0, coding, "{accepted}");
        }
    }

    #[test]
    fn body_without_a_form_falls_back_to_the_next_accepted_coding() {
        let encoded = Encoded::gzipped(b"a body".to_vec());
        assert_eq!(encoded.pick(&accepting("gzip, br")).0, Coding::Gzip);
        assert_eq!(encoded.pick(&accepting("br")).0, Coding::Identity);
    }

    fn accepting(codings: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(codings));
        headers
    }

    #[test]
    fn a_body_takes_no_memory_beyond_its_size() {
        let mut plain = Vec::with_capacity(1_000);
        plain.extend_from_slice(b"a body");
        for encoded in [Encoded::new(plain.clone()), Encoded::gzipped(plain)] {
            for form in [encoded.plain, encoded.gzip, encoded.brotli] {
                let length = form.len();
                // A unique owner gets its whole memory back.
                let memory = Vec::from(form);
                assert_eq!(memory.capacity(), length);
            }
        }
    }

    #[test]
    fn all_forms_decode_to_the_same_bytes() {
        let plain = b"the same bytes ".repeat(100);
        let encoded = Encoded::new(plain.clone());
        let mut gunzipped = Vec::new();
        flate2::read::GzDecoder::new(encoded.gzip.as_ref())
            .read_to_end(&mut gunzipped)
            .unwrap();
        let mut unbrotlied = Vec::new();
        brotli::BrotliDecompress(&mut encoded.brotli.as_ref(), &mut unbrotlied).unwrap();
        assert_eq!(
            (&gunzipped, &unbrotlied, &encoded.plain[..]),
            (&plain, &plain, &plain[..])
        );
    }
}
