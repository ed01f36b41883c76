//! The files that the build of the web app made, embedded in the binary. Builds without
//! optimisation read them from disk.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::sync::OnceLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ETag, EntityTag, Header, HeaderValue, IfNoneMatch};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use flate2::read::GzDecoder;
use rust_embed::Embed;
use sha2::{Digest, Sha256};

use crate::status_page::encoded::{Coding, Encoded};
use crate::status_page::ready_response::ReadyResponse;

#[derive(Embed)]
#[folder = "../../apps/web/dist"]
struct Files;

pub(super) const NOT_BUILT: &str =
    "<!doctype html><title>Allclear</title><p>The web app is not part of this build.</p>";

/// A file, ready to send.
pub(super) struct File {
    pub(super) is_page: bool,
    /// Whether its address changes with its content.
    is_hashed: bool,
    content_type: HeaderValue,
    tag: EntityTag,
    body: Encoded,
    /// The uncompressed body of a file that is stored compressed, from its first request on.
    unpacked: OnceLock<Bytes>,
}

/// All files by their addresses.
pub(super) fn files() -> HashMap<String, File> {
    let paths: BTreeSet<String> = Files::iter()
        .map(|path| {
            let plain = path.strip_suffix(".gz").or(path.strip_suffix(".br"));
            plain.unwrap_or(&path).to_owned()
        })
        .collect();
    let files = paths.into_iter();
    files
        .filter_map(|path| Some((format!("/{path}"), File::of(&path)?)))
        .collect()
}

/// The HTML of a built page.
pub(super) fn built_page(name: &str) -> String {
    let page = Files::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    page.unwrap_or_else(|| NOT_BUILT.to_owned())
}

/// The script of the embedded banner. It has its own address below each status page.
pub(super) fn embed_script() -> ReadyResponse {
    let found = Files::iter()
        .find(|path| path.starts_with("assets/embed-") && path.ends_with(".js"))
        .and_then(|path| Some((Files::get(&path)?, path)));
    match found {
        Some((file, path)) => {
            let hash = file.metadata.sha256_hash();
            ReadyResponse::script(body(&path), &hash[..12])
        }
        None => ReadyResponse::script(Encoded::gzipped(Vec::new()), &[]),
    }
}

impl File {
    /// The file of a path. Of scripts and styles the build keeps only the compressed forms.
    fn of(path: &str) -> Option<Self> {
        let stored = Files::get(path).or_else(|| Files::get(&format!("{path}.gz")))?;
        let kind = mime_guess::from_path(path).first_or_octet_stream();
        let kind = if kind.type_() == mime_guess::mime::TEXT {
            format!("{kind}; charset=utf-8")
        } else {
            kind.to_string()
        };
        let content_type = HeaderValue::from_str(&kind);
        Some(Self {
            content_type: content_type
                .unwrap_or(HeaderValue::from_static("application/octet-stream")),
            is_page: kind.starts_with("text/html"),
            is_hashed: path.starts_with("assets/"),
            tag: EntityTag::new_strong(
                URL_SAFE_NO_PAD.encode(&stored.metadata.sha256_hash()[..12]),
            ),
            body: body(path),
            unpacked: OnceLock::new(),
        })
    }

    /// A small page that is not part of the build.
    pub(super) fn of_html(html: String) -> Self {
        Self {
            is_page: true,
            is_hashed: false,
            content_type: HeaderValue::from_static("text/html; charset=utf-8"),
            tag: EntityTag::new_strong(URL_SAFE_NO_PAD.encode(&Sha256::digest(&html)[..12])),
            body: Encoded::gzipped(html.into_bytes()),
            unpacked: OnceLock::new(),
        }
    }

    /// The smallest form that the client accepts.
    fn pick(&self, request: &HttpRequest) -> (Coding, Bytes) {
        let (coding, bytes) = self.body.pick(request.headers());
        let is_stored = coding != Coding::Identity || !bytes.is_empty();
        if is_stored || self.body.gzip().is_empty() {
            return (coding, bytes);
        }
        let unpacked = self.unpacked.get_or_init(|| unpacked(self.body.gzip()));
        (coding, unpacked.clone())
    }

    pub(super) fn respond(&self, request: &HttpRequest, status: StatusCode) -> HttpResponse {
        let cache = if self.is_hashed {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let is_known = match IfNoneMatch::parse(request) {
            Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(&self.tag)),
            Ok(IfNoneMatch::Any) | Err(_) => false,
        };
        let known = status == StatusCode::OK && is_known;
        let mut response = HttpResponse::build(if known {
            StatusCode::NOT_MODIFIED
        } else {
            status
        });
        response
            .insert_header(ETag(self.tag.clone()))
            .insert_header((header::VARY, "Accept-Encoding"))
            .insert_header((header::CACHE_CONTROL, cache));
        if known {
            return response.finish();
        }
        send(&mut response, self.pick(request), self.content_type.clone())
    }
}

/// The forms of a file that the build made.
fn body(path: &str) -> Encoded {
    let form = |ending: &str| Files::get(&format!("{path}{ending}")).map(|file| bytes(file.data));
    Encoded::precompressed(form(""), form(".gz"), form(".br"))
}

fn unpacked(gzip: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    if let Err(error) = GzDecoder::new(gzip).read_to_end(&mut plain) {
        tracing::error!(%error, "a file of the web app could not be unpacked");
    }
    plain.into()
}

pub(super) fn send(
    response: &mut HttpResponseBuilder,
    (coding, bytes): (Coding, Bytes),
    content_type: HeaderValue,
) -> HttpResponse {
    response.insert_header((header::CONTENT_TYPE, content_type));
    if let Some(coding) = coding.header() {
        response.insert_header((header::CONTENT_ENCODING, coding));
    }
    response.body(bytes)
}

fn bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(embedded) => Bytes::from_static(embedded),
        Cow::Owned(read) => Bytes::from(read),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use actix_web::test::TestRequest;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn file_that_is_stored_compressed_is_unpacked_for_clients_without_compression() {
        let plain = b"the same bytes ".repeat(100);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&plain).unwrap();
        let gzip = Bytes::from(gzip.finish().unwrap());
        let file = File {
            is_page: false,
            is_hashed: false,
            content_type: HeaderValue::from_static("text/javascript"),
            tag: EntityTag::new_strong("a".to_owned()),
            body: Encoded::precompressed(None, Some(gzip.clone()), None),
            unpacked: OnceLock::new(),
        };
        let accepting = |codings: &'static str| {
            TestRequest::default()
                .insert_header((header::ACCEPT_ENCODING, codings))
                .to_http_request()
        };
        assert_eq!(file.pick(&accepting("gzip")), (Coding::Gzip, gzip));
        assert!(file.unpacked.get().is_none());
        let (coding, body) = file.pick(&accepting("identity"));
        assert_eq!((coding, &body[..]), (Coding::Identity, &plain[..]));
        // It is unpacked once.
        assert_eq!(file.pick(&accepting("")).1.as_ptr(), body.as_ptr());
    }
}
