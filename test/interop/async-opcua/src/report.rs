//! What becomes of a step, and how the harness is told.

use std::{fmt::Display, sync::Arc, time::Duration, time::Instant};

use opcua::types::{Error, StatusCode};
use serde_json::json;

use crate::Script;

/// Every step ends after this time, so that a hanging one doesn't take the others with it.
const LIMIT: Duration = Duration::from_secs(15);

/// The detail of a step that is ok, or why it isn't.
pub type Step = Result<String, Failure>;

#[derive(Debug)]
pub enum Failure {
    /// A check doesn't hold.
    Fails(String),
    /// The client lacks what the step needs.
    Cannot(String),
}

impl Failure {
    pub fn fails(reason: impl Into<String>) -> Self {
        Self::Fails(reason.into())
    }

    fn reason(&self) -> &str {
        match self {
            Self::Fails(reason) | Self::Cannot(reason) => reason,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.reason())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Fails(error.to_string())
    }
}

impl From<StatusCode> for Failure {
    fn from(status: StatusCode) -> Self {
        Self::Fails(status.to_string())
    }
}

/// Says where something failed.
pub trait At<T> {
    fn at(self, place: impl Display) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> At<T> for Result<T, E> {
    fn at(self, place: impl Display) -> Result<T, Failure> {
        self.map_err(|error| match error.into() {
            Failure::Fails(reason) => Failure::Fails(format!("{place}: {reason}")),
            cannot => cannot,
        })
    }
}

/// Good, or the status as a failure.
pub fn good(status: StatusCode) -> Result<(), Failure> {
    if status.is_good() {
        Ok(())
    } else {
        Err(status.into())
    }
}

/// Gathers what is wrong with parts of a step, so that all of them are told.
#[derive(Default)]
pub struct Problems(Vec<String>);

impl Problems {
    pub fn add(&mut self, result: Result<(), Failure>) {
        self.0
            .extend(result.err().map(|failure| failure.to_string()));
    }

    pub fn or(self, detail: impl Into<String>) -> Step {
        if self.0.is_empty() {
            Ok(detail.into())
        } else {
            Err(Failure::Fails(self.0.join("; ")))
        }
    }
}

/// Runs a step on its own and prints its line.
pub async fn play(script: Arc<Script>, id: String) {
    let started = Instant::now();
    let step = id.clone();
    // A task of its own, because a panic ends only that.
    let task = tokio::spawn(async move { tokio::time::timeout(LIMIT, script.run(&step)).await });
    let outcome = match task.await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err(Failure::fails("did not end in time")),
        Err(error) => Err(Failure::Fails(error.to_string())),
    };
    eprintln!("{id:45} {:6} ms", started.elapsed().as_millis());
    let (result, detail) = match &outcome {
        Ok(detail) => ("ok", detail.as_str()),
        Err(failure @ Failure::Fails(_)) => ("fails", failure.reason()),
        Err(failure @ Failure::Cannot(_)) => ("cannot", failure.reason()),
    };
    println!(
        "{}",
        json!({ "step": id, "result": result, "detail": detail })
    );
}
