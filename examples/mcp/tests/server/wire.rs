//! One client over either transport, for tests of what both must answer alike.

use serde_json::{Value, json};

use super::client::Client;
use super::http::{Answer, Server};

pub(crate) enum Wire {
    Stdio(Client),
    Http { server: Server, session: String },
}

impl Wire {
    /// Both transports, before `initialize`.
    pub(crate) fn unbegun() -> [Self; 2] {
        [Self::Stdio(Client::spawn(&[])), Self::Http { server: Server::start(), session: String::new() }]
    }

    /// Both transports with a client of this version.
    pub(crate) fn of(version: &str) -> [Self; 2] {
        let params = json!({
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let mut client = Client::spawn(&[]);
        assert_eq!(client.ask("initialize", params).unwrap()["protocolVersion"], version);
        let server = Server::start();
        let session = server.initialize_as(version, &[]).session.expect("a session");
        [Self::Stdio(client), Self::Http { server, session }]
    }

    /// Sends a text, and returns its one answer.
    pub(crate) fn tell(&mut self, text: &str) -> Value {
        match self {
            Self::Stdio(client) => {
                client.send(text);
                client.hear(|told| told.is_array() || told.get("method").is_none())
            }
            Self::Http { .. } => {
                let answer = self.post(text);
                let mut messages = answer.messages();
                assert_eq!(messages.len(), 1, "{text}: {} {}", answer.status, answer.body);
                messages.remove(0)
            }
        }
    }

    /// Sends a text that has no answer.
    pub(crate) fn tell_silently(&mut self, text: &str) {
        match self {
            Self::Stdio(client) => {
                client.send(text);
                client.told.clear();
                assert_eq!(client.ask("ping", json!({})), Ok(json!({})), "{text}");
                assert!(client.told.is_empty(), "{text}: {:?}", client.told);
            }
            Self::Http { .. } => {
                let answer = self.post(text);
                assert_eq!((answer.status, answer.body.as_str()), (202, ""), "{text}");
            }
        }
    }

    /// Sends a text, and checks that its answer is an error with this code and id whose message has all these names.
    #[track_caller]
    pub(crate) fn fault(&mut self, text: &str, code: i64, names: &[&str], id: &Value) {
        let shown: String = text.chars().take(300).collect();
        let answer = self.tell(text);
        assert!(answer.get("result").is_none(), "{shown} has a result");
        let error = &answer["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!(error["code"], code, "{shown}: {answer}");
        assert_eq!(&answer["id"], id, "{shown}: {answer}");
        for name in names {
            assert!(message.contains(name), "{shown}: {answer} names {name}");
        }
        assert!(message.contains(' ') && message.len() < 500, "a sentence: {message}");
    }

    /// Checks that the server still answers.
    pub(crate) fn goes_on(&mut self) {
        let ping = json!({"jsonrpc": "2.0", "id": "on", "method": "ping"});
        assert_eq!(self.tell(&ping.to_string()), json!({"jsonrpc": "2.0", "id": "on", "result": {}}));
    }

    fn post(&self, text: &str) -> Answer {
        let Self::Http { server, session } = self else { unreachable!("only HTTP posts") };
        server.post(&[("Mcp-Session-Id", session)], text)
    }
}
