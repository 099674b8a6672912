//! Subscriptions and the values they bring.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use opcua::{
    client::{DataChangeCallback, Session},
    types::{
        AttributeId, DataChangeFilter, DataValue, ExtensionObject, MonitoredItemCreateRequest,
        MonitoringMode, MonitoringParameters, NodeId, ReadValueId, TimestampsToReturn, Variant,
    },
};
use tokio::time::{Instant, sleep};

use crate::{
    Script,
    report::{At, Failure, Step, good},
};

pub const FAST: Duration = Duration::from_millis(100);
pub const SLOW: Duration = Duration::from_millis(500);

type Values = HashMap<NodeId, Vec<DataValue>>;

/// A subscription with the values it has received.
pub struct Observer<'a> {
    pub session: &'a Session,
    pub id: u32,
    values: Arc<Mutex<Values>>,
}

/// What to monitor.
pub struct Item {
    pub node: NodeId,
    pub mode: MonitoringMode,
    pub sampling_interval_ms: f64,
    pub queue_size: u32,
    pub filter: Option<DataChangeFilter>,
}

impl Item {
    pub fn new(node: &NodeId) -> Self {
        Self {
            node: node.clone(),
            mode: MonitoringMode::Reporting,
            sampling_interval_ms: 50.0,
            queue_size: 1,
            filter: None,
        }
    }

    fn into_request(self) -> MonitoredItemCreateRequest {
        MonitoredItemCreateRequest {
            item_to_monitor: ReadValueId::new(self.node, AttributeId::Value),
            monitoring_mode: self.mode,
            requested_parameters: MonitoringParameters {
                sampling_interval: self.sampling_interval_ms,
                queue_size: self.queue_size,
                discard_oldest: true,
                filter: self
                    .filter
                    .map_or_else(ExtensionObject::null, ExtensionObject::from_message),
                ..Default::default()
            },
        }
    }
}

impl<'a> Observer<'a> {
    pub async fn new(session: &'a Session, interval: Duration) -> Result<Self, Failure> {
        let values = Arc::new(Mutex::new(Values::new()));
        let sink = values.clone();
        let callback = DataChangeCallback::new(move |value, item| {
            let node = item.item_to_monitor().node_id.clone();
            lock(&sink).entry(node).or_default().push(value);
        });
        let id = session
            .create_subscription(interval, 600, 10, 0, 0, true, callback)
            .await
            .at("CreateSubscription")?;
        Ok(Self {
            session,
            id,
            values,
        })
    }

    /// Makes items; returns their ids.
    pub async fn monitor(
        &self,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<Vec<u32>, Failure> {
        let requests = items.into_iter().map(Item::into_request).collect();
        let created = self
            .session
            .create_monitored_items(self.id, TimestampsToReturn::Both, requests)
            .await
            .at("CreateMonitoredItems")?;
        created
            .into_iter()
            .map(|item| {
                good(item.result.status_code).at(item.item_to_monitor.node_id)?;
                Ok(item.result.monitored_item_id)
            })
            .collect()
    }

    pub fn count(&self, node: &NodeId) -> usize {
        lock(&self.values).get(node).map_or(0, Vec::len)
    }

    /// Waits for so many values of a node; says whether they have come in time.
    pub async fn reaches(&self, node: &NodeId, count: usize, at_most: Duration) -> bool {
        let end = Instant::now() + at_most;
        while self.count(node) < count && Instant::now() < end {
            sleep(FAST).await;
        }
        self.count(node) >= count
    }

    pub fn take(&self, node: &NodeId) -> Vec<DataValue> {
        lock(&self.values).remove(node).unwrap_or_default()
    }

    pub fn forget(&self) {
        lock(&self.values).clear();
    }

    /// Collects for the time given after it has dropped what was there and on its way.
    pub async fn freshly(&self, during: Duration) {
        sleep(2 * FAST).await;
        self.forget();
        sleep(during).await;
    }

    pub async fn delete(self) -> Result<(), Failure> {
        good(self.session.delete_subscription(self.id).await?).at("DeleteSubscriptions")
    }
}

fn lock(values: &Mutex<Values>) -> MutexGuard<'_, Values> {
    values.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wants at least so many values, each one more than the one before.
pub fn consecutive(values: &[DataValue], at_least: usize) -> Result<(), Failure> {
    if values.len() < at_least {
        return Err(Failure::Fails(format!("{} values", values.len())));
    }
    for value in values {
        good(value.status())?;
    }
    for pair in values.windows(2) {
        let [before, after] = [number(&pair[0]), number(&pair[1])];
        if (after - before - 1.0).abs() > 1e-6 {
            return Err(Failure::Fails(format!("{after} follows {before}")));
        }
    }
    Ok(())
}

/// The value as a number, NaN for none.
pub fn number(value: &DataValue) -> f64 {
    value
        .value
        .as_ref()
        .and_then(Variant::as_f64)
        .unwrap_or(f64::NAN)
}

impl Script {
    /// Wants every change of 100 variables.
    pub async fn subscribe_100(&self) -> Step {
        let connection = self.connect_main().await?;
        let nodes = &self.config.bench.node_ids;
        let observer = Observer::new(&connection, FAST).await?;
        let items = nodes.iter().map(|node| Item {
            queue_size: 20,
            ..Item::new(node)
        });
        observer.monitor(items).await?;
        sleep(Duration::from_secs(5)).await;
        let mut total = 0;
        for node in nodes {
            let values = observer.take(node);
            consecutive(&values, 30).at(node)?;
            total += values.len();
        }
        observer.delete().await?;
        connection.close().await?;
        Ok(format!("{total} values"))
    }

    /// Wants each to publish at its own rate.
    pub async fn two_subscriptions(&self) -> Step {
        let connection = self.connect_main().await?;
        let counter = &self.config.counters["100ms"];
        let fast = Observer::new(&connection, FAST).await?;
        let slow = Observer::new(&connection, SLOW).await?;
        fast.monitor([Item::new(counter)]).await?;
        slow.monitor([Item::new(counter)]).await?;
        sleep(Duration::from_secs(3)).await;
        let (many, few) = (fast.count(counter), slow.count(counter));
        fast.delete().await?;
        slow.delete().await?;
        connection.close().await?;
        if few == 0 || many < 2 * few {
            return Err(Failure::Fails(format!("{many} and {few} values")));
        }
        Ok(format!("{many} and {few} values"))
    }
}
