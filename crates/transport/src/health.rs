//! Endpoints for supervisors: `/healthz`, `/readyz`, `/metrics`.

pub mod metrics_access;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::http::header::{Accept, Header};
use actix_web::{HttpRequest, HttpResponse, web};
use allclear_application::health::Readiness;
use allclear_application::line_limit::LineLimit;
use metrics_exporter_prometheus::PrometheusHandle;

use self::metrics_access::MetricsAccess;
use crate::response::problem::Problem;
use crate::server::client_address::TrustedProxies;
use crate::socket::Sockets;
use crate::status_page::viewers::Viewers;
use crate::web_app::{WebApp, fallback};

/// Set while the process shuts down: it is not ready, but finishes running requests.
#[derive(Debug, Clone, Default)]
pub struct Draining(Arc<AtomicBool>);

impl Draining {
    /// Makes the process not ready.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Liveness: 200 while the process responds. It does not check the database, because a restart
/// would not repair that.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Readiness: 200 if the process is not shutting down, and the database can be read and written.
pub(crate) async fn readyz(
    draining: web::Data<Draining>,
    readiness: web::Data<dyn Readiness>,
) -> HttpResponse {
    if draining.is_on() {
        return HttpResponse::ServiceUnavailable().body("draining\n");
    }
    match readiness.ready().await {
        Ok(()) => HttpResponse::Ok().body("ok\n"),
        Err(reason) => {
            static LINES: LineLimit = LineLimit::new(1);
            if LINES.allows() {
                tracing::warn!(
                    error = &reason as &dyn std::error::Error,
                    "the node is not ready"
                );
            }
            HttpResponse::ServiceUnavailable().body(format!("{reason}\n"))
        }
    }
}

/// Metrics for Prometheus. A browser that requests HTML gets the Metrics screen, which has the
/// same address.
pub(crate) async fn metrics(
    request: HttpRequest,
    handle: web::Data<PrometheusHandle>,
    viewers: web::Data<Viewers>,
    sockets: web::Data<Sockets>,
    app: web::Data<WebApp>,
    (access, proxies): (web::Data<MetricsAccess>, web::Data<TrustedProxies>),
) -> Result<HttpResponse, Problem> {
    let accepts_html = Accept::parse(&request).is_ok_and(|accept| {
        accept
            .iter()
            .any(|media| media.item.essence_str() == "text/html")
    });
    if accepts_html {
        return fallback(request, app).await;
    }
    access.check(&request, &proxies)?;
    for (name, count) in [
        ("allclear_event_stream_viewers", viewers.count()),
        ("allclear_sockets", sockets.count()),
    ] {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a gauge is a float; no node has 2^52 viewers"
        )]
        metrics::gauge!(name).set(count as f64);
    }
    Ok(HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(handle.render()))
}
