use super::*;

#[actix_web::test]
async fn client_that_takes_nothing_of_a_body_is_disconnected() {
    // Sockets of a connection grow to ten megabytes.
    let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
    let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
    let served = Rc::clone(&kept);
    let mut client = client_of(move |connection| {
        served.replace(Some(Rc::clone(connection)));
        with_body(connection, &sent)
    })
    .await;
    client
        .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    head(&mut client).await;
    let connection = kept.borrow().clone().unwrap();
    rest().await;
    let waits = connection.waiting_since().unwrap();
    received(&mut client, HUGE).await;
    while connection.waiting_since() == Some(waits) {
        tokio::task::yield_now().await;
    }
    connection.close();
    let mut rest = Vec::new();
    // The kernel may report the unsent rest as a reset.
    let _ = client.read_to_end(&mut rest).await;
    assert!(rest.len() < 3 * HUGE, "{} bytes", rest.len());
}

#[actix_web::test]
async fn clients_that_take_nothing_of_large_bodies_make_room_for_others() {
    let worker = worker();
    let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut clients = Vec::new();
    // Two bodies of 64 MB are within the memory, a third one is not.
    for _ in 0..4 {
        let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
        let mut client = client_in(&worker, move |connection| with_body(connection, &sent)).await;
        client.write_all(request).await.unwrap();
        rest().await;
        clients.push(client);
    }
    let mut received = Vec::new();
    for client in &mut clients {
        head(client).await;
        let mut body = Vec::new();
        let reading = async {
            while body.len() < 4 * HUGE
                && client.read_buf(&mut body).await.is_ok_and(|read| read > 0)
            {}
        };
        reading.await;
        received.push(body.len());
    }
    assert!(
        received[..2].iter().all(|size| *size < 4 * HUGE),
        "{received:?}"
    );
    assert_eq!(received[2..], [4 * HUGE; 2]);
}

#[actix_web::test]
async fn client_that_takes_a_body_is_not_disconnected_for_others() {
    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let worker = worker();
    let mut stalled = Vec::new();
    let old = Bytes::from(vec![b'x'; 3 * HUGE]);
    for _ in 0..2 {
        let response = old.clone();
        let mut client =
            client_in(&worker, move |connection| with_body(connection, &response)).await;
        client.write_all(REQUEST).await.unwrap();
        rest().await;
        stalled.push(client);
    }
    let large = body(4 * HUGE);
    let response = large.clone();
    let mut reader = client_in(&worker, move |connection| with_body(connection, &response)).await;
    reader.write_all(REQUEST).await.unwrap();
    rest().await;
    head(&mut reader).await;
    let begin = received(&mut reader, HUGE).await;
    rest().await;
    // Too much with both others, of which one is sent by two connections.
    let parts = stream::iter(vec![Ok::<_, Infallible>(body(HUGE)); 4]);
    let parts = Rc::new(RefCell::new(Some(SizedStream::new(4 * HUGE as u64, parts))));
    let mut last = client_in(&worker, move |connection| {
        let (parts, connection) = (parts.take().unwrap(), Rc::clone(connection));
        HttpResponse::Ok()
            .finish()
            .map_body(|head, _| SharedBody::new(head, parts, Some(connection)))
    })
    .await;
    last.write_all(REQUEST).await.unwrap();
    rest().await;
    let end = received(&mut reader, 3 * HUGE).await;
    assert!([begin, end].concat() == large);
    head(&mut last).await;
    received(&mut last, 4 * HUGE).await;
    for client in &mut stalled {
        let mut bytes = Vec::new();
        // The kernel may report the unsent rest as a reset.
        let _ = client.read_to_end(&mut bytes).await;
        assert!(bytes.len() < old.len());
    }
}

#[actix_web::test]
async fn received_body_makes_room_for_others() {
    let worker = worker();
    let mut clients = Vec::new();
    for number in 0..6 {
        let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
        let mut client = client_in(&worker, move |connection| with_body(connection, &sent)).await;
        client
            .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .await
            .unwrap();
        head(&mut client).await;
        rest().await;
        if number < 4 {
            received(&mut client, 4 * HUGE).await;
        }
        // It stays connected.
        clients.push(client);
    }
    for client in &mut clients[4..] {
        received(client, 4 * HUGE).await;
    }
}

#[actix_web::test]
async fn client_that_waits_already_makes_room_itself() {
    let worker = worker();
    let mut streams = Vec::new();
    for is_waiting in [false, false, true] {
        let stream = worker.accept(pair().await.1).unwrap();
        // It has not taken an earlier response.
        let since = is_waiting.then(Instant::now);
        stream.connection().blocked_since.set(since);
        stream.connection().send(vec![b'x'; 4 * HUGE].into());
        streams.push(stream);
    }
    let closing = streams
        .iter()
        .map(|stream| stream.connection().is_closing.get());
    assert_eq!(closing.collect::<Vec<_>>(), [false, false, true]);
}

#[actix_web::test]
async fn body_that_many_clients_receive_counts_once() {
    let worker = worker();
    let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
    let mut clients = Vec::new();
    for _ in 0..4 {
        let response = sent.clone();
        let mut client =
            client_in(&worker, move |connection| with_body(connection, &response)).await;
        let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        client.write_all(request).await.unwrap();
        rest().await;
        clients.push(client);
    }
    for client in &mut clients {
        head(client).await;
        assert_eq!(received(client, sent.len()).await.len(), sent.len());
    }
}
