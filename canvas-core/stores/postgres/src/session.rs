//! Running one statement on one connection of the pool, within the deadline.

use std::time::Duration;

use canvas_core::store::StoreOperation as Operation;
use deadpool_postgres::{Client, Object, Pool};
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::error::{CallError, NO_CONNECTION, TIMED_OUT};
use super::options::Statements;

/// A parameter with its type, which an unnamed statement must specify.
pub(super) type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// The pool, and the options for its use.
#[derive(Clone)]
pub(super) struct Sessions {
    pub(super) pool: Pool,
    pub(super) deadline: Option<Duration>,
    pub(super) statements: Statements,
}

/// A connection that is closed unless it is given back. If its caller leaves or the deadline passes, a statement may
/// still be running on it, and the next one would have to wait.
pub(super) struct Held(Option<Client>);

impl Held {
    pub(super) fn client(&mut self) -> &mut Client {
        self.0.as_mut().expect("only give_back and drop take it")
    }

    /// Returns the connection to the pool.
    pub(super) fn give_back(mut self) {
        self.0.take();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.take().map(Object::take);
    }
}

impl Sessions {
    /// Takes a connection from the pool.
    pub(super) async fn hold(&self, operation: Operation) -> Result<Held, CallError> {
        let given = match self.deadline {
            Some(deadline) => timeout(deadline, self.pool.get()).await,
            None => Ok(self.pool.get().await),
        };
        match given {
            Ok(Ok(client)) => Ok(Held(Some(client))),
            Ok(Err(e)) => Err(CallError::pool(operation, e)),
            Err(e) => Err(CallError::unsent(operation, NO_CONNECTION).with_source(e)),
        }
    }

    /// Runs one statement, which is a transaction of its own, and waits for its end, because rows alone do not prove that
    /// it was committed.
    pub(super) async fn query(
        &self,
        operation: Operation,
        statement: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, CallError> {
        let mut held = self.hold(operation).await?;
        let result = self.query_on(held.client(), operation, statement, params).await;
        if result.as_ref().err().is_none_or(|error| error.keeps_connection) {
            held.give_back();
        }
        result
    }

    async fn query_on(
        &self,
        client: &Client,
        operation: Operation,
        statement: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, CallError> {
        match self.statements {
            Statements::Unnamed => self.within(operation, client.query_typed(statement, params)).await,
            Statements::Named => {
                let types: Vec<Type> = params.iter().map(|(_, kind)| kind.clone()).collect();
                let preparing = client.prepare_typed_cached(statement, &types);
                // Preparing writes nothing, however it ends.
                let prepared =
                    self.within(operation, preparing).await.map_err(|f| CallError { unsure: false, ..f })?;
                let values: Vec<&(dyn ToSql + Sync)> = params.iter().map(|(value, _)| *value).collect();
                self.within(operation, client.query(&prepared, &values)).await
            }
        }
    }

    /// Waits for the server's answer within the deadline.
    pub(super) async fn within<T>(
        &self,
        operation: Operation,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, CallError> {
        let answered = match self.deadline {
            Some(deadline) => timeout(deadline, answer).await,
            None => Ok(answer.await),
        };
        match answered {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(e)) => Err(CallError::answered(operation, e)),
            Err(e) => Err(CallError::unanswered(operation, TIMED_OUT).with_source(e)),
        }
    }
}
