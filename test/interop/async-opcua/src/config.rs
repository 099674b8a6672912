//! What the harness tells: see `../../README.md`.

use std::{collections::BTreeMap, error::Error, fs, path::Path, path::PathBuf};

use opcua::types::{MessageSecurityMode, NodeId};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    pub url: String,
    pub server_certificate_file: PathBuf,
    pub client: Identity,
    pub untrusted: Identity,
    pub user: User,
    pub wrong_password: String,
    pub endpoints: Vec<Endpoint>,
    pub main: Endpoint,
    pub proxy: Proxy,
    pub expect: Expect,
    pub browse: Browse,
    pub attributes: BTreeMap<String, Class>,
    #[serde(deserialize_with = "node_ids")]
    pub attribute_nodes: Vec<NodeId>,
    pub values: Vec<ExpectedValue>,
    pub scalars: Pairs,
    pub arrays: Pairs,
    pub matrices: Pairs,
    pub methods: Vec<Method>,
    pub index_ranges: Vec<RangeRead>,
    pub index_range_writes: Vec<RangeWrite>,
    pub data_types: Vec<DataType>,
    pub structures: Vec<Structure>,
    pub bench: Bench,
    pub deadband: Deadbands,
    #[serde(deserialize_with = "node_ids_by_name")]
    pub counters: BTreeMap<String, NodeId>,
    pub triggering: Triggering,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    pub application_uri: String,
    pub certificate_file: PathBuf,
    pub private_key_file: PathBuf,
}

#[derive(Clone, Deserialize)]
pub struct User {
    pub name: String,
    pub password: String,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    pub policy: String,
    pub policy_uri: String,
    pub mode: String,
}

impl Endpoint {
    pub fn security_mode(&self) -> MessageSecurityMode {
        MessageSecurityMode::from(self.mode.as_str())
    }
}

#[derive(Deserialize)]
pub struct Proxy {
    pub url: String,
    pub control: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expect {
    pub wrong_password: Vec<String>,
    pub untrusted_certificate: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Browse {
    #[serde(deserialize_with = "node_id")]
    pub start_node_id: NodeId,
    pub max_references_per_node: u32,
    pub node_count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Class {
    pub node_class: i32,
    pub mandatory: Vec<u32>,
    pub optional: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedValue {
    #[serde(deserialize_with = "node_id")]
    pub node_id: NodeId,
    pub value: Value,
}

/// By the type's name.
pub type Pairs = BTreeMap<String, Pair>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    #[serde(deserialize_with = "node_id")]
    pub writable: NodeId,
    #[serde(deserialize_with = "node_id")]
    pub read_only: NodeId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Method {
    pub name: String,
    #[serde(deserialize_with = "node_id")]
    pub object_id: NodeId,
    #[serde(deserialize_with = "node_id")]
    pub method_id: NodeId,
    pub inputs: Vec<Input>,
    pub outputs: Option<Vec<Output>>,
    pub status: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum Input {
    Given {
        r#type: String,
        value: Value,
    },
    Read {
        #[serde(deserialize_with = "node_id")]
        read: NodeId,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum Output {
    SameAs {
        #[serde(rename = "sameAs")]
        input: usize,
    },
    Given {
        value: Value,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RangeRead {
    #[serde(deserialize_with = "node_id")]
    pub node_id: NodeId,
    pub range: String,
    #[serde(default)]
    pub value: Value,
    pub status: Option<String>,
    pub dimensions: Option<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RangeWrite {
    #[serde(deserialize_with = "node_id")]
    pub node_id: NodeId,
    pub range: String,
    pub r#type: String,
    pub write: Value,
    #[serde(default)]
    pub after: Value,
    pub status: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataType {
    #[serde(deserialize_with = "node_id")]
    pub node_id: NodeId,
    pub name: String,
    pub kind: String,
    pub fields: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Structure {
    #[serde(deserialize_with = "node_id")]
    pub node_id: NodeId,
    #[serde(deserialize_with = "node_id")]
    pub data_type: NodeId,
    pub value: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bench {
    #[serde(deserialize_with = "node_ids")]
    pub node_ids: Vec<NodeId>,
}

#[derive(Deserialize)]
pub struct Deadbands {
    pub absolute: Deadband,
    pub percent: Deadband,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deadband {
    #[serde(deserialize_with = "node_id")]
    pub node_id: NodeId,
    pub deadband: f64,
    pub base: f64,
    pub inside: f64,
    pub outside: f64,
}

#[derive(Deserialize)]
pub struct Triggering {
    #[serde(deserialize_with = "node_id")]
    pub triggering: NodeId,
    #[serde(deserialize_with = "node_id")]
    pub triggered: NodeId,
}

pub fn read(file: &Path) -> Result<Config, Box<dyn Error>> {
    Ok(serde_json::from_slice(&fs::read(file)?)?)
}

fn node_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NodeId, D::Error> {
    parse(&String::deserialize(deserializer)?)
}

fn node_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NodeId>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| parse(text)).collect()
}

fn parse<E: serde::de::Error>(text: &str) -> Result<NodeId, E> {
    text.parse()
        .map_err(|_| E::custom(format!("{text} is no NodeId")))
}

fn node_ids_by_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, NodeId>, D::Error> {
    BTreeMap::<String, String>::deserialize(deserializer)?
        .into_iter()
        .map(|(name, text)| Ok((name, parse(&text)?)))
        .collect()
}
