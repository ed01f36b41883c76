//! Content security policies (CSP Level 3) of pages that load Clerk's scripts, as Clerk documents
//! them: <https://clerk.com/docs/guides/secure/best-practices/csp-headers>.

use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderMap, HeaderValue, InvalidHeaderValue};

use crate::web_app::csp_hashes::InlineHashes;

/// Content security policies that also allow Clerk's scripts.
#[derive(Debug, Clone)]
pub struct PagePolicy {
    app: HeaderValue,
    status_page: HeaderValue,
}

impl PagePolicy {
    /// Policies for the Clerk application with this Frontend API, from which its scripts
    /// are loaded.
    ///
    /// # Errors
    /// If the address is not valid in a header.
    pub fn new(frontend_api: &str) -> Result<Self, InvalidHeaderValue> {
        // Cloudflare's challenge detects bots at sign-up; `protect` is a service of Clerk. Clerk's
        // components bring their own styles, and refresh their token in a worker made of a blob.
        // Images are avatars of users and organisations.
        let app = format!(
            "default-src 'none'; \
             script-src 'self' {frontend_api} https://challenges.cloudflare.com https://*.protect.clerk.com; \
             connect-src 'self' {frontend_api} https://*.protect.clerk.com:*; \
             img-src 'self' data: https://img.clerk.com; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; \
             frame-src 'self' https://challenges.cloudflare.com https://*.protect.clerk.com; \
             font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        // The status page only fetches a token and shows nothing of Clerk.
        let status_page = format!(
            "default-src 'none'; script-src 'self' {frontend_api}; connect-src 'self' {frontend_api}; \
             worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        Ok(Self {
            app: app.try_into()?,
            status_page: status_page.try_into()?,
        })
    }

    /// Adds the hashes of the public page's inline styles and scripts.
    pub(crate) fn with(self, hashes: &InlineHashes) -> Self {
        let allowed = self
            .status_page
            .to_str()
            .ok()
            .map(|policy| hashes.allowed_by(policy));
        let status_page = allowed.and_then(|policy| policy.try_into().ok());
        Self {
            status_page: status_page.unwrap_or(self.status_page),
            ..self
        }
    }

    /// Inserts the policy of the operators' app.
    pub(crate) fn on_app(&self, response: &mut HttpResponse) {
        response
            .headers_mut()
            .insert(header::CONTENT_SECURITY_POLICY, self.app.clone());
    }

    /// Inserts the policy that allows Clerk's scripts into the public page, if the visitor may be
    /// signed in. Other visitors get the default policy.
    pub(crate) fn on_status_page(&self, request_headers: &HeaderMap, headers: &mut HeaderMap) {
        headers.append(header::VARY, HeaderValue::from_static("cookie"));
        if may_be_signed_in(request_headers) {
            headers.insert(header::CONTENT_SECURITY_POLICY, self.status_page.clone());
        }
    }
}

/// Whether a cookie says that the visitor may be signed in: `__session`, or `__client_uat`, the
/// time of the sign-in, which is 0 without one (`packages/backend/src/constants.ts`). Both may have
/// a suffix. <https://clerk.com/docs/guides/how-clerk-works/overview>
fn may_be_signed_in(request_headers: &HeaderMap) -> bool {
    let cookies = request_headers
        .get_all(header::COOKIE)
        .filter_map(|value| value.to_str().ok());
    let named = |name: &str, expected: &str| {
        name.strip_prefix(expected)
            .is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('_'))
    };
    cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .any(|(name, value)| {
            (named(name, "__session") || named(name, "__client_uat"))
                && !matches!(value.trim(), "" | "0")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    const FRONTEND_API: &str = "https://clerk.example.com";

    fn policy() -> PagePolicy {
        PagePolicy::new(FRONTEND_API).unwrap()
    }

    fn of(response: &HttpResponse) -> Option<&str> {
        Some(
            response
                .headers()
                .get(header::CONTENT_SECURITY_POLICY)?
                .to_str()
                .unwrap(),
        )
    }

    fn status_page(cookie: Option<&str>) -> Option<String> {
        let mut request = TestRequest::default();
        if let Some(cookie) = cookie {
            request = request.insert_header((header::COOKIE, cookie));
        }
        let mut response = HttpResponse::Ok().finish();
        policy().on_status_page(request.to_http_request().headers(), response.headers_mut());
        assert_eq!(response.headers().get(header::VARY).unwrap(), "cookie");
        of(&response).map(str::to_owned)
    }

    #[test]
    fn app_policy_allows_clerk_only() {
        let mut response = HttpResponse::Ok().finish();
        policy().on_app(&mut response);
        let found = of(&response).unwrap();
        for part in [
            "script-src 'self' https://clerk.example.com ",
            "worker-src 'self' blob:",
            "https://img.clerk.com",
        ] {
            assert!(found.contains(part), "{found}");
        }
        let scripts = found
            .split(';')
            .find(|part| part.trim().starts_with("script-src"))
            .unwrap();
        assert!(
            !scripts.contains("unsafe") && !scripts.contains("blob:"),
            "{scripts}"
        );
        assert!(
            found.starts_with("default-src 'none';") && found.contains("frame-ancestors 'none'"),
            "{found}"
        );
    }

    #[test]
    fn status_page_policy_allows_clerk_for_signed_in_viewers_only() {
        for cookie in [
            None,
            Some("theme=dark"),
            Some("__client_uat=0"),
            Some("__client_uat_x1=0; __session="),
            Some("__sessions=1"),
        ] {
            assert_eq!(status_page(cookie), None, "{cookie:?}");
        }
        for cookie in [
            "__session=eyJ",
            "theme=dark; __client_uat=1700000000",
            "__client_uat_x1=1700000000",
            "__session_x1=e",
        ] {
            let found = status_page(Some(cookie)).unwrap();
            assert!(
                found.contains("script-src 'self' https://clerk.example.com;"),
                "{cookie}: {found}"
            );
            assert!(
                !found.contains("unsafe") && !found.contains("frame-src"),
                "{found}"
            );
        }
    }
}
