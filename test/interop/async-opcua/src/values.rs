//! Reading and writing values.

use opcua::{
    client::Session,
    types::{
        Array, AttributeId, DataValue, NodeId, NumericRange, ReadValueId, StatusCode,
        TimestampsToReturn, Variant, WriteValue,
    },
};

use crate::{
    Script,
    config::{Pair, Pairs, RangeRead, RangeWrite},
    plain::{make_variant, want_plain},
    report::{At, Failure, Problems, Step, good},
};

/// Reads the Value attribute, or the part of it in the range.
pub async fn read_value(
    session: &Session,
    node: &NodeId,
    range: NumericRange,
) -> Result<Variant, Failure> {
    let read = ReadValueId {
        index_range: range,
        ..ReadValueId::new(node.clone(), AttributeId::Value)
    };
    let mut results = session
        .read(&[read], TimestampsToReturn::Both, 0.0)
        .await
        .at("read")?;
    let result = results.pop().ok_or(StatusCode::BadNoData).at("read")?;
    good(result.status()).at("read")?;
    Ok(result.value.unwrap_or_default())
}

pub async fn write_value(
    session: &Session,
    node: &NodeId,
    range: NumericRange,
    value: Variant,
) -> Result<(), Failure> {
    let write = WriteValue {
        node_id: node.clone(),
        attribute_id: AttributeId::Value as u32,
        index_range: range,
        value: DataValue {
            value: Some(value),
            ..DataValue::null()
        },
    };
    let results = session.write(&[write]).await.at("write")?;
    good(results.first().copied().unwrap_or(StatusCode::BadNoData)).at("write")
}

impl Script {
    pub async fn read_values(&self) -> Step {
        let connection = self.connect_main().await?;
        let mut problems = Problems::default();
        for wanted in &self.config.values {
            let read = read_value(&connection, &wanted.node_id, NumericRange::None).await;
            let compared = read.and_then(|value| want_plain(&value, &wanted.value));
            problems.add(compared.at(&wanted.node_id));
        }
        connection.close().await?;
        problems.or(format!("{} values", self.config.values.len()))
    }

    /// Writes the value of each read-only variable to the writable one of its type, and then the first value again.
    pub async fn write_pairs(&self, pairs: &Pairs) -> Step {
        let connection = self.connect_main().await?;
        let mut problems = Problems::default();
        for (name, pair) in pairs {
            problems.add(write_pair(&connection, pair).await.at(name));
        }
        connection.close().await?;
        problems.or(format!("{} types", pairs.len()))
    }
}

async fn write_pair(session: &Session, pair: &Pair) -> Result<(), Failure> {
    let first = read_value(session, &pair.writable, NumericRange::None).await?;
    let other = read_value(session, &pair.read_only, NumericRange::None).await?;
    for value in [other, first] {
        write_value(session, &pair.writable, NumericRange::None, value.clone()).await?;
        let after = read_value(session, &pair.writable, NumericRange::None).await?;
        want_same(&after, &value)?;
    }
    Ok(())
}

pub fn want_same(got: &Variant, wanted: &Variant) -> Result<(), Failure> {
    if is_same(got, wanted) {
        Ok(())
    } else {
        Err(Failure::Fails(format!(
            "{got:.120?} instead of {wanted:.120?}"
        )))
    }
}

/// Equality, and NaN is the same as NaN.
fn is_same(a: &Variant, b: &Variant) -> bool {
    match (a, b) {
        (Variant::Float(x), Variant::Float(y)) => x.to_bits() == y.to_bits(),
        (Variant::Double(x), Variant::Double(y)) => x.to_bits() == y.to_bits(),
        (Variant::Variant(x), Variant::Variant(y)) => is_same(x, y),
        (Variant::Array(x), Variant::Array(y)) => is_same_array(x, y),
        _ => a == b,
    }
}

fn is_same_array(a: &Array, b: &Array) -> bool {
    a.value_type == b.value_type
        && a.dimensions == b.dimensions
        && a.values.len() == b.values.len()
        && a.values.iter().zip(&b.values).all(|(x, y)| is_same(x, y))
}

impl Script {
    pub async fn index_ranges(&self) -> Step {
        let connection = self.connect_main().await?;
        let mut problems = Problems::default();
        let mut left_out = Vec::new();
        for wanted in &self.config.index_ranges {
            match NumericRange::new(&wanted.range) {
                // The client sends them with more bytes than they have.
                Err(_) | Ok(NumericRange::MultipleRanges(_)) => {
                    left_out.push(wanted.range.as_str());
                }
                Ok(range) => {
                    let read = read_range(&connection, wanted, range).await;
                    problems.add(read.at(format!("{}[{}]", wanted.node_id, wanted.range)));
                }
            }
        }
        for write in &self.config.index_range_writes {
            let written = write_range(&connection, write).await;
            problems.add(written.at(format!("{}[{}]", write.node_id, write.range)));
        }
        connection.close().await?;
        problems.or(format!(
            "left out: {}; the client sends no malformed ranges, and malformed ones of several dimensions",
            left_out.join("  ")
        ))
    }
}

async fn read_range(
    session: &Session,
    wanted: &RangeRead,
    range: NumericRange,
) -> Result<(), Failure> {
    let read = read_value(session, &wanted.node_id, range).await;
    if wanted.status.is_some() {
        return want_status(read.map(drop), wanted.status.as_deref());
    }
    let value = read?;
    if let Variant::Array(array) = &value
        && array.dimensions != wanted.dimensions
    {
        return Err(Failure::Fails(format!("dimensions {:?}", array.dimensions)));
    }
    want_plain(&value, &wanted.value)
}

async fn write_range(session: &Session, wanted: &RangeWrite) -> Result<(), Failure> {
    let range = NumericRange::new(&wanted.range)
        .map_err(|_| Failure::Cannot(format!("no range {}", wanted.range)))?;
    let first = read_value(session, &wanted.node_id, NumericRange::None).await?;
    let part = make_variant(&wanted.r#type, &wanted.write)?;
    let written = write_value(session, &wanted.node_id, range, part).await;
    if wanted.status.is_some() {
        return want_status(written, wanted.status.as_deref());
    }
    written?;
    let after = read_value(session, &wanted.node_id, NumericRange::None).await?;
    want_plain(&after, &wanted.after)?;
    write_value(session, &wanted.node_id, NumericRange::None, first).await
}

/// Turns the failure expected into success, and any other outcome into a failure. No status stands for Good.
pub fn want_status(result: Result<(), Failure>, status: Option<&str>) -> Result<(), Failure> {
    match (result, status) {
        (result, None) => result,
        (Ok(()), Some(status)) => Err(Failure::Fails(format!("Good instead of {status}"))),
        (Err(failure), Some(status)) if failure.to_string().ends_with(status) => Ok(()),
        (failure, Some(_)) => failure,
    }
}
