//! Values in the form of `config.json`.

use opcua::types::{
    Array, ByteString, DateTime, Guid, LocalizedText, NodeId, UAString, Variant,
    VariantScalarTypeId,
};
use serde_json::{Value, json};

use crate::report::Failure;

/// Compares with a value of `config.json`.
pub fn want_plain(got: &Variant, wanted: &Value) -> Result<(), Failure> {
    want_equal(&plain(got), wanted)
}

pub fn want_equal(got: &Value, wanted: &Value) -> Result<(), Failure> {
    if is_equal(got, wanted) {
        Ok(())
    } else {
        Err(Failure::Fails(format!(
            "{} instead of {}",
            show(got),
            show(wanted)
        )))
    }
}

/// Equality, and 7 is the same as 7.0.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_equal(x, y))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len()
                && x.iter()
                    .all(|(key, x)| y.get(key).is_some_and(|y| is_equal(x, y)))
        }
        _ => a == b,
    }
}

/// Cuts long values.
fn show(value: &Value) -> String {
    format!("{:.120}", value.to_string())
}

/// What `config.json` has for a value.
pub fn plain(value: &Variant) -> Value {
    match value {
        Variant::Empty => Value::Null,
        Variant::Boolean(x) => json!(x),
        Variant::SByte(x) => json!(x),
        Variant::Byte(x) => json!(x),
        Variant::Int16(x) => json!(x),
        Variant::UInt16(x) => json!(x),
        Variant::Int32(x) => json!(x),
        Variant::UInt32(x) => json!(x),
        Variant::Int64(x) => json!(x.to_string()),
        Variant::UInt64(x) => json!(x.to_string()),
        Variant::Float(x) => plain_float(f64::from(*x)),
        Variant::Double(x) => plain_float(*x),
        Variant::String(x) => json!(x.value()),
        Variant::XmlElement(x) => json!(x.to_string()),
        Variant::DateTime(x) => plain_time(x),
        Variant::Guid(x) => json!(x.to_string()),
        Variant::StatusCode(x) => json!(x.bits()),
        Variant::ByteString(x) => json!(x.value.as_deref().map(hex_of)),
        Variant::QualifiedName(x) => {
            json!({ "namespaceIndex": x.namespace_index, "name": x.name.value() })
        }
        Variant::LocalizedText(x) => json!({ "locale": x.locale.value(), "text": x.text.value() }),
        Variant::NodeId(x) => json!(x.to_string()),
        Variant::ExpandedNodeId(x) => json!(x.to_string()),
        Variant::Variant(x) => plain(x),
        Variant::Array(x) => x.values.iter().map(plain).collect(),
        Variant::ExtensionObject(_) | Variant::DataValue(_) | Variant::DiagnosticInfo(_) => {
            json!(format!("{value:?}"))
        }
    }
}

fn plain_float(x: f64) -> Value {
    if x.is_nan() {
        json!("NaN")
    } else if x.is_infinite() {
        json!(if x > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(x)
    }
}

fn plain_time(time: &DateTime) -> Value {
    json!(
        time.as_chrono()
            .format("%Y-%m-%dT%H:%M:%S%.3fZ")
            .to_string()
    )
}

/// Makes a Variant of a built-in type from a value of `config.json`.
pub fn make_variant(type_name: &str, value: &Value) -> Result<Variant, Failure> {
    let Value::Array(elements) = value else {
        return make_scalar(type_name, value)
            .ok_or_else(|| Failure::Cannot(format!("no {type_name} from {value}")));
    };
    let values: Vec<_> = elements
        .iter()
        .map(|element| make_variant(type_name, element))
        .collect::<Result<_, _>>()?;
    let scalar_type = values
        .first()
        .and_then(Variant::scalar_type_id)
        .unwrap_or(VariantScalarTypeId::Variant);
    Array::new(scalar_type, values)
        .map(|array| Variant::Array(Box::new(array)))
        .map_err(|error| Failure::Fails(error.to_string()))
}

fn make_scalar(type_name: &str, value: &Value) -> Option<Variant> {
    Some(match type_name {
        "Boolean" => Variant::Boolean(value.as_bool()?),
        "SByte" => Variant::SByte(value.as_i64()?.try_into().ok()?),
        "Byte" => Variant::Byte(value.as_u64()?.try_into().ok()?),
        "Int16" => Variant::Int16(value.as_i64()?.try_into().ok()?),
        "UInt16" => Variant::UInt16(value.as_u64()?.try_into().ok()?),
        "Int32" => Variant::Int32(value.as_i64()?.try_into().ok()?),
        "UInt32" => Variant::UInt32(value.as_u64()?.try_into().ok()?),
        "Int64" => Variant::Int64(value.as_str()?.parse().ok()?),
        "UInt64" => Variant::UInt64(value.as_str()?.parse().ok()?),
        "Double" => Variant::Double(value.as_f64()?),
        "String" => Variant::String(UAString::from(value.as_str()?)),
        "DateTime" => Variant::from(DateTime::parse_from_rfc3339(value.as_str()?).ok()?),
        "Guid" => Variant::from(value.as_str()?.parse::<Guid>().ok()?),
        "NodeId" => Variant::from(value.as_str()?.parse::<NodeId>().ok()?),
        "ByteString" => Variant::ByteString(bytes_of(value.as_str()?)?),
        "LocalizedText" => Variant::from(LocalizedText::new(
            value["locale"].as_str()?,
            value["text"].as_str()?,
        )),
        _ => return None,
    })
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(hex: &str) -> Option<ByteString> {
    let bytes: Option<Vec<u8>> = (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok())
        .collect();
    Some(ByteString {
        value: Some(bytes?),
    })
}
