//! What the two listeners answer, and to whom.

use crate::common::{Studio, handshake, raw, status};

#[tokio::test(flavor = "multi_thread")]
async fn only_this_machine_by_its_name_is_answered() {
    let studio = Studio::start().await;
    let (page, frame) = (studio.page, studio.frame);
    let asset = "/f/studio/assets/index.html";
    for (port, request, expected) in [
        (page, format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 200),
        (page, format!("GET / HTTP/1.1\r\nHost: localhost:{page}\r\n"), 200),
        (page, format!("HEAD / HTTP/1.1\r\nHost: localhost:{page}\r\n"), 200),
        (page, format!("GET /main.js HTTP/1.1\r\nHost: localhost:{page}\r\n"), 200),
        (page, "GET / HTTP/1.1\r\nHost: example.com\r\n".to_owned(), 421),
        (page, format!("GET / HTTP/1.1\r\nHost: example.com:{page}\r\n"), 421),
        (page, format!("GET / HTTP/1.1\r\nHost: 127.0.0.1.example.com:{page}\r\n"), 421),
        (page, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n".to_owned(), 421),
        (page, format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 421),
        (page, format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\nHost: example.com\r\n"), 421),
        (page, "GET / HTTP/1.1\r\n".to_owned(), 421),
        (page, "GET / HTTP/1.0\r\n".to_owned(), 421),
        (page, format!("POST / HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\nContent-Length: 0\r\n"), 405),
        (page, format!("DELETE /main.js HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 405),
        (page, format!("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 404),
        (page, format!("GET /frame/gsv.js HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 404),
        (page, format!("GET /../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 404),
        (page, format!("GET /%2e%2e/Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 404),
        (page, format!("GET {asset} HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 404),
        (frame, format!("GET {asset} HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 200),
        (frame, format!("GET /gsv.js HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 200),
        (frame, format!("GET {asset} HTTP/1.1\r\nHost: example.com:{frame}\r\n"), 421),
        (frame, format!("GET {asset} HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n"), 421),
        (frame, format!("POST {asset} HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\nContent-Length: 0\r\n"), 405),
        (frame, format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 404),
        (frame, format!("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 404),
        (frame, format!("GET /f/nothing/assets/index.html HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 404),
        (frame, format!("GET /f/%ff/assets/index.html HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\n"), 404),
    ] {
        let answer = raw(port, format!("{request}Connection: close\r\n\r\n").as_bytes()).await;
        assert_eq!(status(&answer), expected, "{request}\n{answer}");
        for name in [
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
        ] {
            assert!(answer.contains(name), "{request}\n{answer}");
        }
    }
    studio.end().await;
}

/// No spelling leads out of the assets, and none is an error of the server.
#[tokio::test(flavor = "multi_thread")]
async fn paths_do_not_climb() {
    let studio = Studio::start().await;
    let host = format!("127.0.0.1:{}", studio.frame);
    for path in [
        "assets/../assets/index.html",
        "assets/../../Cargo.toml",
        "assets/..%2f..%2fCargo.toml",
        "assets/%2e%2e/%2e%2e/Cargo.toml",
        "assets/%252e%252e/Cargo.toml",
        "assets/..%5c..%5cCargo.toml",
        "assets/..\\..\\Cargo.toml",
        "assets/index.html%00.js",
        "assets/./index.html",
        "assets//index.html",
        "assets/",
        "assets",
        "",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "assets/%",
        "assets/%zz",
        "assets/%ff",
    ] {
        let request = format!("GET /f/studio/{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = raw(studio.frame, request.as_bytes()).await;
        assert!(matches!(status(&answer), 400 | 404), "{path}\n{answer}");
        assert!(!answer.contains("[package]") && !answer.contains("root:"), "{path}\n{answer}");
    }
    for request in [
        b"GET /f/studio/assets/\0index.html HTTP/1.1\r\nConnection: close\r\n\r\n".as_slice(),
        b"GET /f/studio/../../x HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
    ] {
        assert_ne!(status(&raw(studio.frame, request).await), 200);
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_page_connects() {
    let studio = Studio::start().await;
    let (page, frame) = (studio.page, studio.frame);
    let own = format!("127.0.0.1:{page}");
    for (port, host, origin, expected) in [
        (page, own.clone(), Some(format!("http://{own}")), 101),
        (page, format!("localhost:{page}"), Some(format!("http://localhost:{page}")), 101),
        (page, own.clone(), None, 403),
        (page, own.clone(), Some("null".to_owned()), 403),
        (page, own.clone(), Some("http://example.com".to_owned()), 403),
        (page, own.clone(), Some(format!("http://127.0.0.1:{frame}")), 403),
        (page, own.clone(), Some(format!("https://{own}")), 403),
        (page, own.clone(), Some(format!("http://localhost:{page}")), 403),
        (page, own.clone(), Some(format!("http://{own}.example.com")), 403),
        (page, format!("example.com:{page}"), Some(format!("http://example.com:{page}")), 421),
        (frame, format!("127.0.0.1:{frame}"), Some(format!("http://127.0.0.1:{frame}")), 404),
    ] {
        let request = handshake("/ws", &host, origin.as_deref());
        let request = if expected == 101 {
            request
        } else {
            request.replace("Connection: Upgrade", "Connection: Upgrade, close")
        };
        let answer = raw_head(port, request.as_bytes()).await;
        assert_eq!(status(&answer), expected, "{request}\n{answer}");
    }
    studio.end().await;
}

/// The first bytes of an answer: a connection that stands does not end.
async fn raw_head(port: u16, request: &[u8]) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = vec![0; 1 << 10];
    let count = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..count]).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_surfaces_have_our_script_and_their_own_policy() {
    let studio = Studio::start().await;
    let (page, frame) = (studio.page, studio.frame);
    let request = format!(
        "GET /f/studio/assets/index.html HTTP/1.1\r\nHost: 127.0.0.1:{frame}\r\nConnection: close\r\n\r\n"
    );
    let answer = raw(frame, request.as_bytes()).await;
    for part in [
        "<!doctype html><script src=\"/gsv.js\"></script>".to_owned(),
        "connect-src 'none'".to_owned(),
        "form-action 'none'".to_owned(),
        "base-uri 'none'".to_owned(),
        "sandbox allow-scripts".to_owned(),
        format!("script-src http://127.0.0.1:{frame}"),
        format!("frame-ancestors http://127.0.0.1:{page}"),
    ] {
        assert!(answer.contains(&part), "{part}\n{answer}");
    }
    let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\nConnection: close\r\n\r\n");
    let answer = raw(page, request.as_bytes()).await;
    for part in [
        "frame-ancestors 'none'".to_owned(),
        "require-trusted-types-for 'script'".to_owned(),
        format!("frame-src http://127.0.0.1:{frame}"),
        "cross-origin-opener-policy: same-origin".to_owned(),
    ] {
        assert!(answer.contains(&part), "{part}\n{answer}");
    }
    studio.end().await;
}
