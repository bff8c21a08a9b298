//! One connection of a page: requests in, answers and events out.
//!
//! * Requests are answered in their order, but for those that wait for tools or for the assistant: others overtake them.
//! * One task serves a connection. While it sends, nothing is read: a page that does not read is not listened to either.
//! * A page that missed events is told so, and asks for the whole canvas. One that reads nothing for long is let go.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use canvas_core::CanvasId;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::client::Client;
use crate::error::{Answer, Failure};
use crate::fan::event_text;
use crate::host::Host;
use crate::methods::{self, Method};
use crate::people::Present;
use crate::wire;

/// Where the page connects.
pub(crate) const PATH: &str = "/ws";

/// Bytes of the largest request.
const REQUEST: usize = 1 << 20;

/// Requests of a connection that are under way at once.
const UNDER_WAY: usize = 64;

/// Bytes that are sent at once. What is larger goes in pieces, since a connection keeps the room of its largest frame.
const PIECE: usize = 4 << 10;

/// How often a page is asked whether it is there.
const PING: Duration = Duration::from_secs(20);

/// How long the other side has to agree to the end.
const GOODBYE: Duration = Duration::from_millis(500);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Turns a request into a connection. Who asks was judged before.
pub(crate) fn upgrade(host: Arc<Host>, stop: watch::Receiver<bool>, mut request: Request) -> Response {
    let response = match create_response_with_body(&request, Body::empty) {
        Ok(response) => response,
        Err(error) => {
            return (StatusCode::BAD_REQUEST, format!("{error}: connect by a WebSocket\n")).into_response();
        }
    };
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        // The other side may be gone by now.
        let Ok(upgraded) = upgraded.await else { return };
        let config = WebSocketConfig::default().read_buffer_size(2 << 10).write_buffer_size(0);
        let config = config.max_message_size(Some(REQUEST)).max_frame_size(Some(REQUEST));
        let io = TokioIo::new(upgraded);
        let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
        Box::pin(serve(host, stop, socket)).await;
    });
    response
}

async fn serve(host: Arc<Host>, stop: watch::Receiver<bool>, mut socket: Socket) {
    let (told, ended) = mpsc::channel(UNDER_WAY);
    let mut connection = Connection {
        host,
        client: None,
        waiting: VecDeque::new(),
        current: None,
        told,
        is_getting: false,
        under_way: 0,
    };
    let end = connection.run(&mut socket, stop, ended).await;
    connection.leave();
    drop(timeout(2 * GOODBYE, goodbye(socket, end)).await);
}

async fn send(socket: &mut Socket, message: Message) -> Result<(), Error> {
    let text = match message {
        Message::Text(text) if text.len() > PIECE => Bytes::from(text),
        message => return socket.send(message).await,
    };
    for start in (0..text.len()).step_by(PIECE) {
        let end = text.len().min(start + PIECE);
        let kind = if start == 0 { Data::Text } else { Data::Continue };
        let frame = Frame::message(text.slice(start..end), OpCode::Data(kind), end == text.len());
        socket.send(Message::Frame(frame)).await?;
    }
    Ok(())
}

/// Why a connection ends.
enum End {
    /// The page has gone, or does not read.
    Gone,
    /// This side ends it, with a code and a reason.
    Close(CloseCode, &'static str),
}

/// Says why, and waits for the other side to have read it.
async fn goodbye(mut socket: Socket, end: End) {
    let End::Close(code, reason) = end else { return };
    let frame = CloseFrame { code, reason: reason.into() };
    if socket.send(Message::Close(Some(frame))).await.is_ok() {
        while let Some(Ok(_)) = socket.next().await {}
        // Where what was sent is too large to be read, closing at once would take the reason away from its reader.
        tokio::time::sleep(GOODBYE).await;
    }
}

/// An answer to a request.
struct Answered {
    id: String,
    answer: Answer,
    shows: Shows,
}

/// What a connection shows after a request.
enum Shows {
    /// What it showed before.
    AsBefore,
    /// Nothing.
    Nothing,
    /// This canvas, and no other.
    Opened(Following),
    /// This canvas no more.
    Closed(CanvasId),
}

type Running = Pin<Box<dyn Future<Output = Answered> + Send>>;

struct Connection {
    host: Arc<Host>,
    client: Option<Client>,
    /// Requests that wait for their turn.
    waiting: VecDeque<wire::Request>,
    /// The one whose turn it is.
    current: Option<Running>,
    /// Where those that are overtaken answer.
    told: mpsc::Sender<Answered>,
    /// Whether that asks for the whole canvas: events wait until it is answered, so that none is overtaken by an older state.
    is_getting: bool,
    /// All that were not answered.
    under_way: usize,
}

/// What is next on a connection.
enum Next {
    Answered(Answered),
    Event(Result<Utf8Bytes, RecvError>),
    Message(Option<Result<Message, Error>>),
    Ping,
    Stop,
}

impl Connection {
    async fn run(
        &mut self,
        socket: &mut Socket,
        mut stop: watch::Receiver<bool>,
        mut ended: mpsc::Receiver<Answered>,
    ) -> End {
        let mut events: Option<Following> = None;
        let mut pings = interval_at(Instant::now() + PING, PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let may_send = self.current.is_none() || !self.is_getting;
            let next = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => Next::Stop,
                answered = of(&mut self.current) => Next::Answered(answered),
                Some(answered) = ended.recv() => Next::Answered(answered),
                event = follow(&mut events), if may_send => Next::Event(event),
                message = socket.next() => Next::Message(message),
                _ = pings.tick() => Next::Ping,
            };
            let message = match next {
                Next::Stop => return End::Close(CloseCode::Away, "the studio ends"),
                Next::Answered(Answered { id, answer, shows }) => {
                    match shows {
                        Shows::AsBefore => {}
                        Shows::Nothing => events = None,
                        Shows::Opened(following) => events = Some(following),
                        Shows::Closed(canvas) => {
                            events = events.filter(|following| following.canvas != canvas)
                        }
                    }
                    self.under_way -= 1;
                    self.begin();
                    Message::Text(wire::answer(&id, answer))
                }
                Next::Event(Ok(event)) => Message::Text(event),
                Next::Event(Err(RecvError::Lagged(_))) => {
                    let canvas = events.as_ref().map(|following| &following.canvas);
                    self.host.fan.count_resync();
                    Message::Text(event_text("canvas.resync", &json!({"canvasId": canvas})))
                }
                Next::Event(Err(RecvError::Closed)) => {
                    events = None;
                    continue;
                }
                Next::Message(message) => {
                    heard = Instant::now();
                    match self.receive(message) {
                        Ok(Some(answer)) => Message::Text(answer),
                        Ok(None) => continue,
                        Err(end) => return end,
                    }
                }
                Next::Ping if heard.elapsed() > PING + self.host.patience => return End::Gone,
                Next::Ping => Message::Ping(Bytes::new()),
            };
            match timeout(self.host.patience, send(socket, message)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return End::Gone,
            }
        }
    }

    /// Takes a message. Gives an answer where there is one already.
    fn receive(&mut self, message: Option<Result<Message, Error>>) -> Result<Option<Utf8Bytes>, End> {
        let text = match message {
            None | Some(Ok(Message::Close(_))) => return Err(End::Gone),
            Some(Err(Error::Capacity(_))) => {
                return Err(End::Close(CloseCode::Size, "a request has at most 1 MiB"));
            }
            Some(Err(_)) => return Err(End::Gone),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => return Ok(None),
            Some(Ok(Message::Binary(_))) => {
                let failure = Failure::new("BAD_REQUEST", "requests are text: send JSON in text frames");
                return Ok(Some(wire::failed(None, failure)));
            }
            Some(Ok(Message::Text(text))) => text,
        };
        let request = match wire::Request::parse(&text) {
            Ok(request) => request,
            Err((id, failure)) => return Ok(Some(wire::failed(id.as_deref(), failure))),
        };
        if self.under_way == UNDER_WAY {
            let why = format!("{UNDER_WAY} requests of this connection are under way: wait for an answer");
            return Ok(Some(wire::failed(Some(&request.id), Failure::retryable("TOO_MANY_REQUESTS", &why))));
        }
        self.under_way += 1;
        self.waiting.push_back(request);
        self.begin();
        Ok(None)
    }

    /// Begins what waits, as far as one request is not to overtake another one.
    fn begin(&mut self) {
        while self.current.is_none()
            && let Some(request) = self.waiting.pop_front()
        {
            let client = match self.client_of(&request) {
                Ok(client) => client,
                Err(failure) => {
                    let answered = Answered { id: request.id, answer: Err(failure), shows: Shows::AsBefore };
                    self.current = Some(Box::pin(std::future::ready(answered)));
                    return;
                }
            };
            let host = Arc::clone(&self.host);
            if request.method.is_overtaken() {
                let told = self.told.clone();
                // It goes on where the page is gone: the page asks again, and is answered as it was.
                tokio::spawn(async move { drop(told.send(answered(host, client, request).await).await) });
            } else {
                self.is_getting = request.method == Method::Get;
                self.current = Some(Box::pin(answered(host, client, request)));
            }
        }
    }

    /// Who sends a request: whoever has said hello.
    fn client_of(&mut self, request: &wire::Request) -> Result<Client, Failure> {
        if request.method == Method::Hello {
            let client = Client::of(&request.params)?;
            self.leave();
            self.host.clients.enter(&client);
            self.client = Some(client);
        }
        self.client.clone().ok_or_else(|| {
            let why = "a connection begins with hello and the name of the client: send it first";
            Failure::new("HELLO_REQUIRED", why)
        })
    }

    /// The client shows nothing any more.
    fn leave(&mut self) {
        if let Some(client) = self.client.take() {
            self.host.clients.leave(&self.host, &client);
        }
    }
}

/// The events of one canvas: a connection shows one at a time.
struct Following {
    canvas: CanvasId,
    events: Receiver<Utf8Bytes>,
    /// Ends when the connection shows the canvas no more.
    _present: Present,
}

async fn answered(
    host: Arc<Host>,
    client: Client,
    wire::Request { id, method, params }: wire::Request,
) -> Answered {
    let canvas = methods::canvas(&params);
    let (answer, shows) = match (method, canvas) {
        (Method::Open, Some(canvas)) => match methods::open(&host, &client, &id, params).await {
            Ok((answer, events)) => {
                let person = client.person().cloned().unwrap_or_default();
                let present = Present::enter(&host, &canvas, person);
                (Ok(answer), Shows::Opened(Following { canvas, events, _present: present }))
            }
            Err(failure) => (Err(failure), Shows::AsBefore),
        },
        (Method::Hello, _) => {
            let answer = methods::run(&host, &client, &id, method, params).await;
            (answer, Shows::Nothing)
        }
        (method, canvas) => {
            let answer = methods::run(&host, &client, &id, method, params).await;
            let closed = canvas.filter(|_| method == Method::Close && answer.is_ok());
            (answer, closed.map_or(Shows::AsBefore, Shows::Closed))
        }
    };
    Answered { id, answer, shows }
}

async fn follow(following: &mut Option<Following>) -> Result<Utf8Bytes, RecvError> {
    match following {
        Some(following) => following.events.recv().await,
        None => std::future::pending().await,
    }
}

/// The answer of what runs, which is then gone.
async fn of(current: &mut Option<Running>) -> Answered {
    let answered = match current.as_mut() {
        Some(running) => running.await,
        None => std::future::pending().await,
    };
    *current = None;
    answered
}
