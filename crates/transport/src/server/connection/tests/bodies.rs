use super::*;

#[actix_web::test]
async fn shared_bodies_arrive_whole_and_in_order() {
    // The last but one blocks the kernel's buffers while it is sent from a file; the last one is
    // too large for a file.
    for size in [1, 12 * 1024 - 1, 12 * 1024, 100_000, 3 * 1024 * 1024, HUGE] {
        let sent = body(size);
        let response = sent.clone();
        let mut client = client_of(move |connection| with_body(connection, &response)).await;
        // All at once: each response has to wait for the body before it.
        let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(4);
        client.write_all(requests.as_bytes()).await.unwrap();
        for _ in 0..4 {
            let head = head(&mut client).await;
            assert_eq!(head.matches("content-length").count(), 1, "{head}");
            assert!(
                head.contains(&format!("content-length: {size}\r\n")),
                "{head}"
            );
            assert!(!head.contains("chunked"), "{head}");
            assert!(received(&mut client, size).await == sent, "{size} bytes");
        }
    }
}

#[actix_web::test]
async fn parts_of_a_body_arrive_whole_and_in_order() {
    let sent = body(HUGE);
    let parts: Vec<_> = sent
        .chunks(100_000)
        .map(|part| sent.slice_ref(part))
        .collect();
    let mut client = client_in(&worker(), move |connection| {
        let parts = stream::iter(parts.clone().into_iter().map(Ok::<_, Infallible>));
        let (parts, connection) = (SizedStream::new(HUGE as u64, parts), Rc::clone(connection));
        HttpResponse::Ok()
            .finish()
            .map_body(|head, _| SharedBody::new(head, parts, Some(connection)))
    })
    .await;
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
    client.write_all(requests.as_bytes()).await.unwrap();
    for _ in 0..2 {
        let head = head(&mut client).await;
        assert_eq!(head.matches("content-length").count(), 1, "{head}");
        assert!(received(&mut client, HUGE).await == sent);
    }
}

#[actix_web::test]
async fn body_that_ends_too_early_ends_the_connection() {
    let part = body(100_000);
    let mut client = client_in(&worker(), move |connection| {
        let parts = stream::iter([Ok::<_, Infallible>(part.clone())]);
        let (parts, connection) = (SizedStream::new(200_000, parts), Rc::clone(connection));
        HttpResponse::Ok()
            .finish()
            .map_body(|head, _| SharedBody::new(head, parts, Some(connection)))
    })
    .await;
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
    client.write_all(requests.as_bytes()).await.unwrap();
    head(&mut client).await;
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!(rest == body(100_000));
}

#[actix_web::test]
async fn client_of_http_1_0_receives_a_shared_body_until_the_end() {
    let sent = body(100_000);
    let response = sent.clone();
    let mut client = client_of(move |connection| with_body(connection, &response)).await;
    client.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
    let head = head(&mut client).await;
    assert!(head.contains("content-length: 100000\r\n"), "{head}");
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!(rest == sent);
}
