//! The figures of the requests. Finding one by its labels takes longer than counting: each worker keeps those it has found.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use actix_web::http::StatusCode;
use metrics::{Counter, Histogram};

struct Figures {
    requests: Counter,
    seconds: Histogram,
}

/// By route, then by method and status: all three come from short lists.
type Found = HashMap<String, HashMap<(&'static str, u16), Figures>>;

thread_local! {
    static FOUND: RefCell<Found> = RefCell::default();
}

impl Figures {
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

/// Counts an answer and how long it took.
pub(super) fn count(method: &'static str, route: &str, status: StatusCode, took: Duration) {
    FOUND.with_borrow_mut(|found| {
        if !found.contains_key(route) {
            found.insert(route.to_owned(), HashMap::new());
        }
        let Some(of_route) = found.get_mut(route) else {
            return;
        };
        let figures = of_route
            .entry((method, status.as_u16()))
            .or_insert_with(|| Figures::find(method, route, status));
        figures.requests.increment(1);
        figures.seconds.record(took.as_secs_f64());
    });
}
