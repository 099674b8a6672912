//! Deadbands, modes and links of monitored items.

use std::time::Duration;

use opcua::{
    client::Session,
    types::{
        DataChangeFilter, DataChangeTrigger, DeadbandType, MonitoredItemModifyRequest,
        MonitoringMode, MonitoringParameters, NumericRange, TimestampsToReturn, Variant,
    },
};
use tokio::time::sleep;

use crate::{
    Script,
    config::Deadband,
    report::{At, Failure, Problems, Step, good},
    subscriptions::{FAST, Item, Observer, SLOW, number},
    values::{read_value, write_value},
};

impl Script {
    /// Wants only changes beyond an absolute and a percent deadband.
    pub async fn deadband(&self) -> Step {
        let connection = self.connect_main().await?;
        let mut problems = Problems::default();
        let bands = &self.config.deadband;
        for (name, kind, band) in [
            ("absolute", DeadbandType::Absolute, &bands.absolute),
            ("percent", DeadbandType::Percent, &bands.percent),
        ] {
            let first = read_value(&connection, &band.node_id, NumericRange::None).await?;
            problems.add(check_deadband(&connection, kind, band).await.at(name));
            write_value(&connection, &band.node_id, NumericRange::None, first).await?;
        }
        connection.close().await?;
        problems.or("")
    }
}

async fn check_deadband(
    session: &Session,
    kind: DeadbandType,
    band: &Deadband,
) -> Result<(), Failure> {
    let write = |value| {
        write_value(
            session,
            &band.node_id,
            NumericRange::None,
            Variant::Double(value),
        )
    };
    write(band.base).await?;
    let observer = Observer::new(session, FAST).await?;
    let filter = DataChangeFilter {
        trigger: DataChangeTrigger::StatusValue,
        deadband_type: kind as u32,
        deadband_value: band.deadband,
    };
    observer
        .monitor([Item {
            filter: Some(filter),
            ..Item::new(&band.node_id)
        }])
        .await?;
    for next in [band.inside, band.outside] {
        sleep(SLOW).await;
        write(next).await?;
    }
    sleep(SLOW).await;
    let reported: Vec<_> = observer.take(&band.node_id).iter().map(number).collect();
    observer.delete().await?;
    if reported == [band.base, band.outside] {
        Ok(())
    } else {
        Err(Failure::Fails(format!("reported {reported:?}")))
    }
}

impl Script {
    /// Makes an item faster.
    pub async fn modify_items(&self) -> Step {
        let connection = self.connect_main().await?;
        let counter = &self.config.counters["10ms"];
        let observer = Observer::new(&connection, FAST).await?;
        let slow = Item {
            sampling_interval_ms: 1000.0,
            ..Item::new(counter)
        };
        let ids = observer.monitor([slow]).await?;
        observer.freshly(Duration::from_secs(2)).await;
        let before = observer.count(counter);
        let request = MonitoredItemModifyRequest {
            monitored_item_id: ids[0],
            requested_parameters: MonitoringParameters {
                client_handle: client_handle(&connection, observer.id, ids[0])?,
                sampling_interval: 50.0,
                queue_size: 10,
                discard_oldest: true,
                ..Default::default()
            },
        };
        let results = connection
            .modify_monitored_items(observer.id, TimestampsToReturn::Both, &[request])
            .await?;
        let result = results.first().ok_or_else(|| Failure::fails("no result"))?;
        good(result.status_code)?;
        if (result.revised_sampling_interval, result.revised_queue_size) != (50.0, 10) {
            return Err(Failure::Fails(format!("{result:?}")));
        }
        observer.freshly(Duration::from_secs(1)).await;
        let after = observer.count(counter);
        observer.delete().await?;
        connection.close().await?;
        let detail = format!("{before} values in 2 s, then {after} in 1 s");
        if before == 0 || after <= before {
            return Err(Failure::Fails(detail));
        }
        Ok(detail)
    }

    /// Wants silence from a disabled item and values from one enabled again.
    pub async fn disable_items(&self) -> Step {
        let connection = self.connect_main().await?;
        let counter = &self.config.counters["100ms"];
        let observer = Observer::new(&connection, FAST).await?;
        let ids = observer.monitor([Item::new(counter)]).await?;
        sleep(3 * FAST).await;
        switch_mode(&observer, MonitoringMode::Disabled, &ids).await?;
        let disabled = observer.count(counter);
        switch_mode(&observer, MonitoringMode::Reporting, &ids).await?;
        let enabled = observer.count(counter);
        observer.delete().await?;
        connection.close().await?;
        if disabled != 0 || enabled == 0 {
            return Err(Failure::Fails(format!(
                "{disabled} values while disabled, {enabled} afterwards"
            )));
        }
        Ok(String::new())
    }

    /// Wants a sampling item's value only once the item it is linked to has changed.
    pub async fn set_triggering(&self) -> Step {
        let connection = self.connect_main().await?;
        let nodes = &self.config.triggering;
        let first = read_value(&connection, &nodes.triggering, NumericRange::None).await?;
        let observer = Observer::new(&connection, FAST).await?;
        let sampling = Item {
            mode: MonitoringMode::Sampling,
            ..Item::new(&nodes.triggered)
        };
        let ids = observer
            .monitor([Item::new(&nodes.triggering), sampling])
            .await?;
        let (added, _) = connection
            .set_triggering(observer.id, ids[0], &ids[1..], &[])
            .await?;
        for status in added.iter().flatten() {
            good(*status).at("SetTriggering")?;
        }
        observer.freshly(SLOW).await;
        let early = observer.count(&nodes.triggered);
        let other = Variant::Int32(early as i32 + 4711);
        write_value(&connection, &nodes.triggering, NumericRange::None, other).await?;
        sleep(SLOW).await;
        let counts = [&nodes.triggering, &nodes.triggered].map(|node| observer.count(node));
        observer.delete().await?;
        write_value(&connection, &nodes.triggering, NumericRange::None, first).await?;
        connection.close().await?;
        if early != 0 || counts != [1, 1] {
            return Err(Failure::Fails(format!(
                "{early} values before the trigger, then {counts:?}"
            )));
        }
        Ok(String::new())
    }
}

async fn switch_mode(
    observer: &Observer<'_>,
    mode: MonitoringMode,
    ids: &[u32],
) -> Result<(), Failure> {
    let statuses = observer
        .session
        .set_monitoring_mode(observer.id, mode, ids)
        .await
        .at("SetMonitoringMode")?;
    for status in statuses {
        good(status).at("SetMonitoringMode")?;
    }
    observer.freshly(6 * FAST).await;
    Ok(())
}

/// The handle that the client has chosen for an item.
fn client_handle(session: &Session, subscription: u32, item: u32) -> Result<u32, Failure> {
    let state = session.subscription_state().lock();
    state
        .get(subscription)
        .and_then(|found| found.monitored_items().find(|found| found.id() == item))
        .map(|found| found.client_handle())
        .ok_or_else(|| Failure::fails("the client doesn't know the item"))
}
