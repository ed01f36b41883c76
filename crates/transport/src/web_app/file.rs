//! The files that the build of the web app made, embedded in the binary. Builds without optimisation read them from disk.

use std::borrow::Cow;
use std::collections::HashMap;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ETag, EntityTag, Header, HeaderValue, IfNoneMatch};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use rust_embed::Embed;

use crate::status::encoded::Encoded;
use crate::status::page::Document;

#[derive(Embed)]
#[folder = "../../apps/web/dist"]
struct Files;

pub(super) const NOT_BUILT: &str =
    "<!doctype html><title>Allclear</title><p>The web app is not part of this build.</p>";

/// A file, ready to send.
pub(super) struct File {
    pub(super) is_page: bool,
    content_type: HeaderValue,
    tag: EntityTag,
    body: Encoded,
}

/// All files by their addresses.
pub(super) fn files() -> HashMap<String, File> {
    Files::iter()
        .map(|path| {
            let plain = path.strip_suffix(".gz").or(path.strip_suffix(".br"));
            plain.unwrap_or(&path).to_owned()
        })
        .filter_map(|path| Some((format!("/{path}"), File::of(&path)?)))
        .collect()
}

/// The HTML of a built page.
pub(super) fn built_page(name: &str) -> String {
    let page = Files::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    page.unwrap_or_else(|| NOT_BUILT.to_owned())
}

/// The script of the embedded banner. It has its own address below each status page.
pub(super) fn embed_script() -> Document {
    let found = Files::iter()
        .find(|path| path.starts_with("assets/embed-") && path.ends_with(".js"))
        .and_then(|path| Some((Files::get(&path)?, path)));
    match found {
        Some((file, path)) => {
            let hash = file.metadata.sha256_hash();
            Document::script(body(&path), &hash[..12])
        }
        None => Document::script(Encoded::gzipped(Vec::new()), &[]),
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
            tag: EntityTag::new_strong(
                URL_SAFE_NO_PAD.encode(&stored.metadata.sha256_hash()[..12]),
            ),
            body: body(path),
        })
    }

    pub(super) fn respond(
        &self,
        request: &HttpRequest,
        status: StatusCode,
        hashed: bool,
    ) -> HttpResponse {
        let cache = if hashed {
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
            .insert_header((header::VARY, "accept-encoding"))
            .insert_header((header::CACHE_CONTROL, cache));
        if known {
            return response.finish();
        }
        send(
            &mut response,
            request,
            &self.body,
            self.content_type.clone(),
        )
    }
}

/// The forms of a file that the build made.
fn body(path: &str) -> Encoded {
    let form = |ending: &str| Files::get(&format!("{path}{ending}")).map(|file| bytes(file.data));
    Encoded::precompressed(form(""), form(".gz"), form(".br"))
}

pub(super) fn send(
    response: &mut HttpResponseBuilder,
    request: &HttpRequest,
    body: &Encoded,
    content_type: HeaderValue,
) -> HttpResponse {
    let (coding, bytes) = body.pick(request.headers());
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
