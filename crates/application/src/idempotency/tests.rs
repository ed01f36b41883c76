use super::*;
use crate::clock::TestClock;

/// A store with at most one response.
#[derive(Default)]
struct OneResponse(Mutex<Option<NewResponse>>);

#[async_trait]
impl IdempotencyStore for OneResponse {
    async fn find(
        &self,
        _: &OrganisationId,
        name: &str,
        _: DateTime<Utc>,
    ) -> Result<Option<StoredResponse>, Error> {
        let stored = self.0.lock().clone();
        let found = stored.filter(|new| new.name == name);
        Ok(found.map(|new| new.stored))
    }

    async fn prune(&self, _: DateTime<Utc>, _: u64) -> Result<u64, Error> {
        Ok(0)
    }
}

fn idempotency(store: &Arc<OneResponse>) -> Idempotency {
    let hmac_key = HmacKey::new("salt").unwrap();
    Idempotency::new(Arc::clone(store) as _, TestClock::stopped(), hmac_key)
}

fn acme() -> OrganisationId {
    OrganisationId::parse("acme").unwrap()
}

fn request(organisation: &OrganisationId) -> RepeatableRequest<'_> {
    RepeatableRequest {
        organisation,
        caller: "user:ann",
        key: "k1",
        path: "/api/v1/incident/create",
        body: &[1; 32],
    }
}

fn response(number: u32) -> Vec<u8> {
    format!("created {number}").into_bytes()
}

async fn first(idempotency: &Idempotency, request: RepeatableRequest<'_>) -> FirstRequest {
    match idempotency.begin(request).await.unwrap() {
        KeyState::First(first) => first,
        _ => panic!("not the first request"),
    }
}

#[tokio::test]
async fn stored_response_is_returned_to_the_same_request_of_the_same_caller_only() {
    let (store, acme) = (Arc::new(OneResponse::default()), acme());
    let idempotency = idempotency(&store);
    let responses = Arc::clone(&store);
    let work = async move {
        let call = CurrentRequest::current().unwrap();
        *responses.0.lock() = Some(call.response_to(&7_u32).unwrap());
    };
    let begun = first(&idempotency, request(&acme)).await;
    begun
        .run(|number: &u32| Some(response(*number)), work)
        .await;
    assert!(CurrentRequest::current().is_none());

    let again = idempotency.begin(request(&acme)).await.unwrap();
    assert!(matches!(again, KeyState::Repeated(found) if found == response(7)));
    for other in [
        RepeatableRequest {
            path: "/api/v1/component/create",
            ..request(&acme)
        },
        RepeatableRequest {
            body: &[2; 32],
            ..request(&acme)
        },
    ] {
        let begun = idempotency.begin(other).await.unwrap();
        assert!(matches!(begun, KeyState::Mismatch));
    }
    for other in [
        RepeatableRequest {
            caller: "key:ann",
            ..request(&acme)
        },
        RepeatableRequest {
            key: "k2",
            ..request(&acme)
        },
    ] {
        first(&idempotency, other).await;
    }
}

#[tokio::test]
async fn state_without_a_response_is_an_internal_error() {
    let (store, acme) = (Arc::new(OneResponse::default()), acme());
    let begun = first(&idempotency(&store), request(&acme)).await;
    let work = async {
        let call = CurrentRequest::current().unwrap();
        [
            call.response_to(&"another type").unwrap_err(),
            call.response_to(&7_u32).unwrap_err(),
        ]
    };
    let refused = begun.run(|_: &u32| None, work).await;
    let is_internal = |error: &Error| matches!(error, Error::Internal(_));
    assert!(refused.iter().all(is_internal), "{refused:?}");
}

#[tokio::test]
async fn second_request_is_refused_while_the_first_is_handled() {
    let (store, acme) = (Arc::new(OneResponse::default()), acme());
    let idempotency = idempotency(&store);
    let begun = first(&idempotency, request(&acme)).await;
    let second = idempotency.begin(request(&acme)).await.unwrap();
    assert!(matches!(second, KeyState::InProgress));
    drop(begun);
    // The first one failed and stored nothing.
    first(&idempotency, request(&acme)).await;
}
