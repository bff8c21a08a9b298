//! Who asks: a page under a name of its own, which it keeps when it connects anew.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::surface::{ClientId, SurfaceActor};
use canvas_core::{CallId, ConversationId, OpKey, PersonId};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::error::Failure;
use crate::host::Host;
use crate::person;

/// Characters of a client's name.
const NAME: usize = 64;

/// Answers that are kept in all, for requests that are sent again.
const RECEIPTS: usize = 2_048;

/// A client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Client {
    id: ClientId,
    conversation: ConversationId,
    /// The person who works in its window, if the window names one.
    person: Option<PersonId>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Hello {
    client_id: String,
    #[serde(default)]
    person: Option<String>,
}

impl Client {
    /// The client that says hello.
    pub(crate) fn of(params: &Value) -> Result<Self, Failure> {
        let Hello { client_id, person } = Failure::read(params.clone())?;
        let wrong = || {
            Failure::new("INVALID_ARGUMENTS", "clientId is a name of 1 to 64 characters: give another one")
        };
        if !(1..=NAME).contains(&client_id.chars().count()) {
            return Err(wrong());
        }
        let id = ClientId::new(&client_id).map_err(|_| wrong())?;
        let conversation = ConversationId::new(&format!("studio:{client_id}")).map_err(|_| wrong())?;
        let person = person.as_deref().map(person::named).transpose()?;
        Ok(Self { id, conversation, person })
    }

    /// As surfaces know it.
    pub(crate) fn actor(&self) -> SurfaceActor {
        SurfaceActor::ClientId(self.id.clone())
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.id.as_str()
    }

    /// The person in its window; `None` if the window names nobody.
    pub(crate) fn person(&self) -> Option<&PersonId> {
        self.person.as_ref()
    }

    /// The key of a request: the same request again is a retry, whatever turn runs.
    pub(crate) fn operation(&self, request: &str) -> Result<OpKey, Failure> {
        let call = CallId::new(request).map_err(|e| Failure::new("INVALID_ARGUMENTS", &e.to_string()))?;
        Ok(OpKey { person: self.person.clone(), ..OpKey::of(self.conversation.clone(), call) })
    }
}

/// The connections of each client: a page that connects anew may do so before its old connection is gone.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    connections: Mutex<HashMap<ClientId, usize>>,
}

impl Clients {
    pub(crate) fn enter(&self, client: &Client) {
        *lock(&self.connections).entry(client.id.clone()).or_default() += 1;
    }

    /// A connection has ended. With the last one of a client its views end.
    pub(crate) fn leave(&self, host: &Host, client: &Client) {
        let is_last = {
            let mut connections = lock(&self.connections);
            let left = connections.get(&client.id).map_or(0, |count| count - 1);
            match left {
                0 => connections.remove(&client.id),
                _ => connections.insert(client.id.clone(), left),
            };
            left == 0
        };
        if is_last {
            let canvases = host.door.views().disconnect(&client.actor());
            for canvas in canvases {
                host.publish(&canvas, "canvas.view.updated", json!({}));
            }
        }
    }
}

/// The key of a receipt.
type Key = (Client, String);

/// A receipt, which two requests of one name may wait for.
type Receipt = Arc<OnceCell<Value>>;

/// Answers to requests of which the engine keeps no receipt.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    kept: Mutex<(HashMap<Key, Receipt>, VecDeque<Key>)>,
}

impl Receipts {
    /// The receipt of a request, which is empty where it was not answered before. Failures leave it empty.
    pub(crate) fn of(&self, client: &Client, request: &str) -> Receipt {
        let key = (client.clone(), request.to_owned());
        let mut kept = lock(&self.kept);
        let (receipts, order) = &mut *kept;
        if let Some(receipt) = receipts.get(&key) {
            return Arc::clone(receipt);
        }
        if order.len() == RECEIPTS
            && let Some(oldest) = order.pop_front()
        {
            receipts.remove(&oldest);
        }
        order.push_back(key.clone());
        Arc::clone(receipts.entry(key).or_default())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
