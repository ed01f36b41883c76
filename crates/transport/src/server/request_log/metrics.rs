//! Metrics of requests. Each worker caches the metrics it has looked up, because a lookup by labels
//! takes longer than counting.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use actix_web::http::StatusCode;
use metrics::{Counter, Histogram};

struct RequestMetrics {
    requests: Counter,
    seconds: Histogram,
}

/// By route, then by method and status. All three have few values.
type MetricsByRoute = HashMap<String, HashMap<(&'static str, u16), RequestMetrics>>;

thread_local! {
    static BY_ROUTE: RefCell<MetricsByRoute> = RefCell::default();
}

impl RequestMetrics {
    fn find(method: &'static str, route: &str, status: StatusCode) -> Self {
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            ("status", status.as_str().to_owned()),
        ];
        Self {
            requests: metrics::counter!("allclear_http_requests_total", &labels),
            seconds: metrics::histogram!("allclear_http_request_seconds", &labels[..2]),
        }
    }
}

/// Counts a response and records its duration.
pub(super) fn count(method: &'static str, route: &str, status: StatusCode, took: Duration) {
    BY_ROUTE.with_borrow_mut(|by_route| {
        if !by_route.contains_key(route) {
            by_route.insert(route.to_owned(), HashMap::new());
        }
        let Some(of_route) = by_route.get_mut(route) else {
            return;
        };
        let metrics = of_route
            .entry((method, status.as_u16()))
            .or_insert_with(|| RequestMetrics::find(method, route, status));
        metrics.requests.increment(1);
        metrics.seconds.record(took.as_secs_f64());
    });
}
