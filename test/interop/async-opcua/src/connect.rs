//! Endpoints, connections and refusals.

use std::{fs, ops::Deref, sync::Arc, time::Duration};

use opcua::{
    client::{Client, ClientBuilder, IdentityToken, Session},
    types::{
        AttributeId, EndpointDescription, NodeId, ReadValueId, StatusCode, TimestampsToReturn,
        VariableId,
    },
};
use tokio::task::JoinHandle;

use crate::{
    Script,
    config::{Endpoint, Identity, User},
    report::{At, Failure, Step, good},
};

/// The client's default of 65,535 is too small for the longest value of the reference server.
const MAX_BYTE_STRING_LENGTH: usize = 1024 * 1024;
/// The client's default of 1000 is too small for the results of one Read.
const MAX_ARRAY_LENGTH: usize = 100_000;

/// How to connect.
pub struct Login<'a> {
    pub endpoint: &'a Endpoint,
    pub identity: &'a Identity,
    pub user: Option<User>,
    pub url: &'a str,
    pub channel_lifetime_ms: u32,
    /// Of reconnecting; 0 gives up at once.
    pub retries: i32,
}

/// A session with the task that drives it.
pub struct Connection {
    session: Arc<Session>,
    driver: JoinHandle<StatusCode>,
}

impl Deref for Connection {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Connection {
    /// Closes session and channel.
    pub async fn close(mut self) -> Result<(), Failure> {
        self.session.disconnect().await.at("close")?;
        good(
            (&mut self.driver)
                .await
                .unwrap_or(StatusCode::BadUnexpectedError),
        )
        .at("close")
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Script {
    /// The session that may see and write everything.
    pub fn main(&self) -> Login<'_> {
        Login {
            user: Some(self.config.user.clone()),
            ..self.anonymous(&self.config.main)
        }
    }

    fn anonymous<'a>(&'a self, endpoint: &'a Endpoint) -> Login<'a> {
        Login {
            endpoint,
            identity: &self.config.client,
            user: None,
            url: &self.config.url,
            channel_lifetime_ms: 60_000,
            retries: 0,
        }
    }

    pub async fn connect_main(&self) -> Result<Connection, Failure> {
        self.connect(self.main()).await
    }

    pub async fn connect(&self, login: Login<'_>) -> Result<Connection, Failure> {
        let mut client = self.client(&login)?;
        let mut endpoint = client
            .get_endpoints(self.config.url.as_str(), &[], &[])
            .await
            .at("GetEndpoints")?
            .into_iter()
            .find(|description| login.endpoint.is_described_by(description))
            .ok_or_else(|| Failure::fails("the endpoint is not offered"))?;
        endpoint.endpoint_url = login.url.into();
        let token = match login.user {
            Some(user) => IdentityToken::new_user_name(user.name, user.password),
            None => IdentityToken::new_anonymous(),
        };
        let (session, event_loop) = client.connect_to_endpoint_directly(endpoint, token)?;
        let mut driver = event_loop.spawn();
        tokio::select! {
            ended = &mut driver => Err(ended.unwrap_or(StatusCode::BadUnexpectedError).into()),
            _ = session.wait_for_connection() => Ok(Connection { session: session.clone(), driver }),
        }
    }

    fn client(&self, login: &Login<'_>) -> Result<Client, Failure> {
        ClientBuilder::new()
            .application_name("Bulkhead interoperability")
            .application_uri(&login.identity.application_uri)
            .product_uri("urn:bulkhead:interop")
            .pki_dir(&self.pki)
            .certificate_path(&login.identity.certificate_file)
            .private_key_path(&login.identity.private_key_file)
            .trust_server_certs(true)
            .channel_lifetime(login.channel_lifetime_ms)
            .session_retry_limit(login.retries)
            .session_retry_initial(Duration::from_millis(200))
            .max_array_length(MAX_ARRAY_LENGTH)
            .max_byte_string_length(MAX_BYTE_STRING_LENGTH)
            .request_timeout(Duration::from_secs(10))
            .client()
            .map_err(|problems| Failure::Fails(problems.join("; ")))
    }

    pub async fn endpoints(&self) -> Step {
        let certificate = fs::read(&self.config.server_certificate_file)
            .map_err(|error| Failure::Fails(error.to_string()))?;
        let mut offered = self
            .client(&self.main())?
            .get_endpoints(self.config.url.as_str(), &[], &[])
            .await?;
        // Other transports have endpoints of their own.
        offered.retain(|found| found.endpoint_url.as_ref().starts_with("opc.tcp:"));
        for wanted in &self.config.endpoints {
            if !offered.iter().any(|found| wanted.is_described_by(found)) {
                let Endpoint { policy, mode, .. } = wanted;
                return Err(Failure::Fails(format!("{policy} {mode} is not offered")));
            }
        }
        if offered.len() != self.config.endpoints.len() {
            return Err(Failure::Fails(format!("{} endpoints", offered.len())));
        }
        if offered
            .iter()
            .any(|found| found.server_certificate.as_ref() != certificate)
        {
            return Err(Failure::fails("another certificate"));
        }
        Ok(format!("{} endpoints", offered.len()))
    }

    /// Connects, reads the server's time and closes.
    pub async fn connect_with(&self, how: &str) -> Step {
        let endpoint = self
            .config
            .endpoints
            .iter()
            .find(|endpoint| how.starts_with(&format!("{}:{}:", endpoint.policy, endpoint.mode)))
            .ok_or_else(|| Failure::fails("no such endpoint"))?;
        let connection = self
            .connect(Login {
                user: how.ends_with("username").then(|| self.config.user.clone()),
                ..self.anonymous(endpoint)
            })
            .await?;
        read_time(&connection).await?;
        connection.close().await?;
        Ok(String::new())
    }

    pub async fn wrong_password(&self) -> Step {
        let user = User {
            name: self.config.user.name.clone(),
            password: self.config.wrong_password.clone(),
        };
        let login = Login {
            user: Some(user),
            ..self.main()
        };
        self.want_refusal(login, &self.config.expect.wrong_password)
            .await
    }

    pub async fn untrusted_certificate(&self) -> Step {
        let login = Login {
            identity: &self.config.untrusted,
            ..self.main()
        };
        self.want_refusal(login, &self.config.expect.untrusted_certificate)
            .await
    }

    async fn want_refusal(&self, login: Login<'_>, expected: &[String]) -> Step {
        match self.connect(login).await {
            Ok(_) => Err(Failure::fails("accepted")),
            Err(failure) if expected.contains(&failure.to_string()) => Ok(failure.to_string()),
            Err(failure) => Err(failure),
        }
    }
}

impl Endpoint {
    fn is_described_by(&self, description: &EndpointDescription) -> bool {
        description.security_policy_uri.as_ref() == self.policy_uri
            && description.security_mode == self.security_mode()
    }
}

pub async fn read_time(session: &Session) -> Result<(), Failure> {
    let time = NodeId::from(VariableId::Server_ServerStatus_CurrentTime);
    let read = ReadValueId::new(time, AttributeId::Value);
    let results = session
        .read(&[read], TimestampsToReturn::Both, 0.0)
        .await
        .at("read")?;
    good(
        results
            .first()
            .map_or(StatusCode::BadNoData, |value| value.status()),
    )
    .at("read")
}
