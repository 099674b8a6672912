//! Plays the interoperability script with async-opcua.

mod browse;
mod config;
mod connect;
mod items;
mod methods;
mod plain;
mod recovery;
mod report;
mod structures;
mod subscriptions;
mod values;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use config::Config;
use report::{Failure, Step};

/// Knows the server to play against.
struct Script {
    config: Config,
    /// A folder of this run for the client's trust list.
    pki: PathBuf,
}

/// Steps of `../steps.json` after the connections.
const STEPS: [&str; 22] = [
    "wrong-password",
    "untrusted-certificate",
    "browse-all",
    "read-attributes",
    "read-values",
    "write-scalars",
    "write-arrays",
    "write-matrices",
    "call-methods",
    "index-ranges",
    "data-type-definitions",
    "structures",
    "subscribe-100",
    "deadband",
    "two-subscriptions",
    "modify-items",
    "disable-items",
    "set-triggering",
    "events",
    "token-renewal",
    "reconnect",
    "close",
];

#[tokio::main]
async fn main() -> ExitCode {
    let Some(file) = std::env::args_os().next_back().map(PathBuf::from) else {
        return ExitCode::from(2);
    };
    let config = match config::read(&file) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    let script = Arc::new(Script {
        config,
        pki: file.with_file_name("async-opcua-pki"),
    });
    for id in script.steps() {
        report::play(script.clone(), id).await;
    }
    ExitCode::SUCCESS
}

impl Script {
    fn steps(&self) -> Vec<String> {
        let connections = self.config.endpoints.iter().flat_map(|endpoint| {
            ["anonymous", "username"]
                .map(|user| format!("connect:{}:{}:{user}", endpoint.policy, endpoint.mode))
        });
        std::iter::once("endpoints".to_owned())
            .chain(connections)
            .chain(STEPS.map(str::to_owned))
            .collect()
    }

    async fn run(&self, id: &str) -> Step {
        if let Some(how) = id.strip_prefix("connect:") {
            return self.connect_with(how).await;
        }
        match id {
            "endpoints" => self.endpoints().await,
            "wrong-password" => self.wrong_password().await,
            "untrusted-certificate" => self.untrusted_certificate().await,
            "browse-all" => self.browse_all().await,
            "read-attributes" => self.read_attributes().await,
            "read-values" => self.read_values().await,
            "write-scalars" => self.write_pairs(&self.config.scalars).await,
            "write-arrays" => self.write_pairs(&self.config.arrays).await,
            "write-matrices" => self.write_pairs(&self.config.matrices).await,
            "call-methods" => self.call_methods().await,
            "index-ranges" => self.index_ranges().await,
            "data-type-definitions" => self.data_type_definitions().await,
            "structures" => self.structures().await,
            "subscribe-100" => self.subscribe_100().await,
            "deadband" => self.deadband().await,
            "two-subscriptions" => self.two_subscriptions().await,
            "modify-items" => self.modify_items().await,
            "disable-items" => self.disable_items().await,
            "set-triggering" => self.set_triggering().await,
            "events" => Err(Failure::Cannot("the server has no events yet".into())),
            "token-renewal" => self.token_renewal().await,
            "reconnect" => self.reconnect().await,
            "close" => self.close().await,
            _ => Err(Failure::Cannot("not written".into())),
        }
    }
}
