use super::*;

#[actix_web::test]
async fn responses_are_those_of_their_own_requests() {
    let sent = body(300);
    let response = sent.clone();
    let mut client = client_of(move |connection| with_body(connection, &response)).await;
    let request = |method| format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n");
    let last = request("GET").replace("1.1", "1.0");
    let requests = ["GET", "HEAD", "GET", "HEAD", "HEAD", "GET"].map(request);
    let requests = [requests.concat(), request("HEAD"), last].concat();
    client.write_all(requests.as_bytes()).await.unwrap();
    for has_body in [true, false, true, false, false, true, false, true] {
        assert!(head(&mut client).await.contains("content-length: 300\r\n"));
        if has_body {
            assert!(received(&mut client, sent.len()).await == sent);
        }
    }
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}

#[actix_web::test]
async fn later_request_does_not_change_the_response_to_a_running_one() {
    let (begin, is_begun) = (Rc::new(Notify::new()), Rc::new(Notify::new()));
    let (begun, may_end) = (Rc::clone(&is_begun), Rc::clone(&begin));
    let mut client = client_of_async(move |request| {
        let connection = request.conn_data::<Rc<Connection>>().cloned();
        let guard = connection.as_ref().map(RequestGuard::on);
        let (begun, may_end) = (Rc::clone(&begun), Rc::clone(&may_end));
        async move {
            begun.notify_one();
            may_end.notified().await;
            drop(guard);
            HttpResponse::Ok().body("text")
        }
    })
    .await;
    for method in ["GET", "HEAD", "GET"] {
        let request = format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        rest().await;
    }
    for body in ["text", "", "text"] {
        is_begun.notified().await;
        begin.notify_one();
        assert!(head(&mut client).await.contains("content-length: 4\r\n"));
        assert_eq!(received(&mut client, body.len()).await, body.as_bytes());
    }
}

#[actix_web::test]
async fn client_that_leaves_within_a_head_ends_its_connection() {
    let mut client = client_of(|connection| with_body(connection, &body(1))).await;
    client.write_all(b"GET / HTTP/1.1\r\nHost").await.unwrap();
    rest().await;
    client.shutdown().await.unwrap();
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}

#[actix_web::test]
async fn upload_behind_other_requests_arrives_whole() {
    for size in [9_000, 100_000] {
        let mut client = client_of_async(|mut request| {
            let connection = request.conn_data::<Rc<Connection>>().cloned();
            let payload = request.take_payload();
            async move {
                let connection = connection.unwrap();
                let guard = RequestGuard::on(&connection);
                let asked = payload.inspect(move |_| connection.allow_more());
                let parts: Vec<_> = asked.map(Result::unwrap).collect().await;
                tokio::task::yield_now().await;
                drop(guard);
                HttpResponse::Ok().body(parts.concat())
            }
        })
        .await;
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
        let upload = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n");
        let sent = [
            get.as_bytes(),
            upload.as_bytes(),
            &body(size),
            get.as_bytes(),
        ]
        .concat();
        let (mut reader, mut writer) = client.split();
        let (_, ()) = tokio::join!(writer.write_all(&sent), async {
            for expected in [0, 0, size, 0, 0] {
                head(&mut reader).await;
                assert!(received(&mut reader, expected).await == body(expected));
            }
        });
    }
}

#[actix_web::test]
async fn requests_that_wait_take_little_memory() {
    let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
    let served = Rc::clone(&kept);
    let mut client = client_of_async(move |request| {
        let connection = request.conn_data::<Rc<Connection>>().cloned().unwrap();
        served.replace(Some(Rc::clone(&connection)));
        let guard = RequestGuard::on(&connection);
        async move {
            tokio::task::yield_now().await;
            drop(guard);
            HttpResponse::Ok().finish()
        }
    })
    .await;
    let (mut reader, mut writer) = client.split();
    let sent = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000);
    let (_, ()) = tokio::join!(writer.write_all(sent.as_bytes()), async {
        for _ in 0..5_000 {
            head(&mut reader).await;
            let connection = kept.borrow();
            assert!(connection.as_ref().unwrap().pipeline.waiting() <= READ_AHEAD);
        }
    });
}

#[actix_web::test]
async fn refusal_of_a_malformed_request_follows_the_body_before_it() {
    let sent = body(100_000);
    let response = sent.clone();
    let mut client = client_of(move |connection| with_body(connection, &response)).await;
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n???\r\n\r\n";
    client.write_all(requests.as_bytes()).await.unwrap();
    head(&mut client).await;
    assert!(received(&mut client, sent.len()).await == sent);
    assert!(head(&mut client).await.starts_with("HTTP/1.1 400"));
}

/// Many requests, as long as those of browsers.
fn requests(count: usize) -> Vec<u8> {
    let request = format!(
        "GET / HTTP/1.1\r\nHost: a\r\ncookie: {}\r\n\r\n",
        "x".repeat(600)
    );
    request.repeat(count).into_bytes()
}

/// A response without a body, and with a head of 8 KiB.
fn without_body(connection: &Rc<Connection>) -> HttpResponse<SharedBody<Bytes>> {
    let connection = Some(Rc::clone(connection));
    HttpResponse::NotModified()
        .insert_header((header::SERVER, "x".repeat(8 * 1024)))
        .finish()
        .map_body(|head, _| SharedBody::of_bytes(head, None, connection))
}

#[actix_web::test]
async fn client_that_reads_nothing_is_not_read_from() {
    const SENT: usize = 15_000;
    let answered: Rc<Cell<usize>> = Rc::default();
    let count = Rc::clone(&answered);
    let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
    let served = Rc::clone(&kept);
    let client = client_of(move |connection| {
        served.replace(Some(Rc::clone(connection)));
        count.set(count.get() + 1);
        without_body(connection)
    })
    .await;
    let (mut reader, mut writer) = client.into_split();
    spawn(async move { writer.write_all(&requests(SENT)).await });
    rest().await;
    // What the kernel holds, and one part of the requests.
    assert!(answered.get() < 6_000, "{} responses", answered.get());
    assert!(kept.borrow().as_ref().unwrap().waiting_since().is_some());

    let mut bytes = vec![0; 64 * 1024];
    while answered.get() < SENT {
        assert_ne!(reader.read(&mut bytes).await.unwrap(), 0);
    }
}

#[actix_web::test]
async fn requests_behind_a_running_one_wait_unread() {
    for size in [30_000, 4 * HUGE] {
        let sent = Bytes::from(vec![b'x'; size]);
        let handled: Rc<Cell<usize>> = Rc::default();
        let count = Rc::clone(&handled);
        let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
        let served = Rc::clone(&kept);
        let client = client_of(move |connection| {
            served.replace(Some(Rc::clone(connection)));
            count.set(count.get() + 1);
            with_body(connection, &sent)
        })
        .await;
        let (_reader, mut writer) = client.into_split();
        spawn(async move { writer.write_all(&requests(2_000)).await });
        rest().await;
        // Those whose responses the kernel holds, and the running one.
        let most = HUGE / size + 1;
        assert!((1..=most).contains(&handled.get()), "{}", handled.get());
        let connection = kept.borrow().clone().unwrap();
        assert!(connection.read_ahead.get() <= READ_AHEAD);
        assert!(connection.pipeline.waiting() <= READ_AHEAD);
    }
}

#[actix_web::test]
async fn requests_that_were_read_during_another_one_are_answered() {
    const SENT: usize = 200;
    let answered: Rc<Cell<usize>> = Rc::default();
    let count = Rc::clone(&answered);
    let huge = Bytes::from(vec![b'x'; 4 * HUGE]);
    let mut client = client_of(move |connection| {
        if count.replace(count.get() + 1) == 0 {
            with_body(connection, &huge)
        } else {
            without_body(connection)
        }
    })
    .await;
    let (first, others) = (requests(1), requests(SENT - 1));
    client.write_all(&first).await.unwrap();
    rest().await;
    client.write_all(&others).await.unwrap();
    rest().await;
    let mut bytes = vec![0; 64 * 1024];
    while answered.get() < SENT {
        assert_ne!(client.read(&mut bytes).await.unwrap(), 0);
    }
}
