//! Renewed tokens, cut connections and the end.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep},
};

use crate::{
    Script,
    connect::{Login, read_time},
    report::{At, Failure, Step},
    subscriptions::{FAST, Item, Observer, consecutive},
};

const SECOND: Duration = Duration::from_secs(1);

impl Script {
    /// Reads without a pause while the client renews the token on its own, after 3 of the 4 seconds.
    pub async fn token_renewal(&self) -> Step {
        const DURING: Duration = Duration::from_millis(7500);
        let connection = self
            .connect(Login {
                channel_lifetime_ms: 4000,
                ..self.main()
            })
            .await?;
        let end = Instant::now() + DURING;
        let mut reads = 0;
        while Instant::now() < end {
            read_time(&connection).await.at(format!("read {reads}"))?;
            reads += 1;
            sleep(Duration::from_millis(50)).await;
        }
        connection.close().await?;
        Ok(format!("{reads} reads in {DURING:?}, lifetime 4s"))
    }

    /// Cuts the connection and leaves it to the client to recover.
    pub async fn reconnect(&self) -> Step {
        let connection = self
            .connect(Login {
                url: &self.config.proxy.url,
                retries: 20,
                ..self.main()
            })
            .await?;
        let counter = &self.config.counters["100ms"];
        let observer = Observer::new(&connection, FAST).await?;
        let item = Item {
            queue_size: 100,
            ..Item::new(counter)
        };
        observer.monitor([item]).await?;
        sleep(5 * FAST).await;
        let session_id = connection.server_session_id();
        self.cut().await?;
        let before = observer.count(counter);
        let mut how = Vec::new();
        if !observer.reaches(counter, before + 10, 3 * SECOND).await {
            // After it has connected again the client forgets to publish until it is told to.
            how.push("publishing again only when told to".to_owned());
            connection.trigger_publish_now();
            if !observer.reaches(counter, before + 10, 5 * SECOND).await {
                return Err(Failure::fails("no more values after the cut"));
            }
        }
        read_time(&connection).await?;
        if connection.server_session_id() == session_id {
            how.push("same session".to_owned());
        } else {
            how.push("new session, subscription transferred".to_owned());
        }
        let mut values = observer.take(counter);
        // A transferred subscription reports its last value again.
        values.dedup_by_key(|value| value.value.clone());
        how.push(match consecutive(&values, 10) {
            Ok(()) => "nothing lost".to_owned(),
            Err(failure) => format!("lost: {failure}"),
        });
        connection.close().await?;
        Ok(how.join(", "))
    }

    async fn cut(&self) -> Result<(), Failure> {
        let address = self.config.proxy.control.trim_start_matches("http://");
        let request = format!("GET /cut HTTP/1.0\r\nHost: {address}\r\n\r\n");
        let mut response = String::new();
        let exchange = async {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(request.as_bytes()).await?;
            stream.read_to_string(&mut response).await
        };
        exchange
            .await
            .map_err(|error| Failure::Fails(format!("cut: {error}")))?;
        Ok(())
    }

    /// Closes session and channel, after which nothing can be read.
    pub async fn close(&self) -> Step {
        let connection = self.connect_main().await?;
        read_time(&connection).await?;
        connection.disconnect().await?;
        match read_time(&connection).await {
            Ok(()) => Err(Failure::fails("a read after it is Good")),
            Err(_) => Ok(String::new()),
        }
    }
}
