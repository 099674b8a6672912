//! Browsing, and the attributes of many nodes.

use std::collections::HashSet;

use opcua::{
    client::Session,
    types::{
        AttributeId, BrowseDescription, BrowseDirection, BrowseResult, BrowseResultMaskFlags,
        ByteString, NodeId, ReadValueId, StatusCode, TimestampsToReturn, Variant,
    },
};

use crate::{
    Script,
    config::Class,
    report::{At, Failure, Step, good},
};

const NODES_PER_REQUEST: usize = 50;
const LAST_ATTRIBUTE: u32 = 27;

/// Collects every node that forward references lead to.
struct Collector<'a> {
    session: &'a Session,
    max_references: u32,
    known: HashSet<NodeId>,
    found: Vec<NodeId>,
    continuations: usize,
}

impl Script {
    pub async fn browse_all(&self) -> Step {
        let wanted = &self.config.browse;
        let connection = self.connect_main().await?;
        let mut collector = Collector {
            session: &connection,
            max_references: wanted.max_references_per_node,
            known: HashSet::from([wanted.start_node_id.clone()]),
            found: vec![wanted.start_node_id.clone()],
            continuations: 0,
        };
        let mut done = 0;
        while done < collector.found.len() {
            let end = collector.found.len().min(done + NODES_PER_REQUEST);
            let nodes = collector.found[done..end].to_vec();
            collector.browse(nodes).await?;
            done = end;
        }
        let (count, continuations) = (collector.found.len(), collector.continuations);
        connection.close().await?;
        if count == wanted.node_count {
            Ok(format!("{count} nodes, {continuations} continuations"))
        } else {
            Err(Failure::Fails(format!(
                "{count} nodes instead of {}",
                wanted.node_count
            )))
        }
    }
}

impl Collector<'_> {
    async fn browse(&mut self, mut nodes: Vec<NodeId>) -> Result<(), Failure> {
        while !nodes.is_empty() {
            let descriptions: Vec<_> = nodes.iter().map(describe).collect();
            let results = self
                .session
                .browse(&descriptions, self.max_references, None)
                .await
                .at("Browse")?;
            let mut points = Vec::new();
            let mut later = Vec::new();
            for (node, result) in nodes.iter().zip(results) {
                if result.status_code == StatusCode::BadNoContinuationPoints {
                    later.push(node.clone());
                } else {
                    self.take(result, &mut points).at(node)?;
                }
            }
            if later.len() == nodes.len() {
                return Err(StatusCode::BadNoContinuationPoints.into());
            }
            self.go_on(points).await?;
            nodes = later;
        }
        Ok(())
    }

    async fn go_on(&mut self, mut points: Vec<ByteString>) -> Result<(), Failure> {
        while !points.is_empty() {
            self.continuations += points.len();
            let results = self
                .session
                .browse_next(false, &points)
                .await
                .at("BrowseNext")?;
            points.clear();
            for result in results {
                self.take(result, &mut points).at("BrowseNext")?;
            }
        }
        Ok(())
    }

    /// Notes the targets of the references, and adds the continuation point if there is one.
    fn take(&mut self, result: BrowseResult, points: &mut Vec<ByteString>) -> Result<(), Failure> {
        good(result.status_code)?;
        let references = result.references.unwrap_or_default();
        if references.len() > self.max_references as usize {
            return Err(Failure::Fails(format!(
                "{} references at once",
                references.len()
            )));
        }
        for target in references.into_iter().map(|reference| reference.node_id) {
            let is_here = target.server_index == 0 && target.namespace_uri.is_empty();
            if is_here && self.known.insert(target.node_id.clone()) {
                self.found.push(target.node_id);
            }
        }
        if !result.continuation_point.is_null_or_empty() {
            points.push(result.continuation_point);
        }
        Ok(())
    }
}

fn describe(node: &NodeId) -> BrowseDescription {
    BrowseDescription {
        node_id: node.clone(),
        browse_direction: BrowseDirection::Forward,
        reference_type_id: NodeId::null(),
        include_subtypes: true,
        node_class_mask: 0,
        result_mask: BrowseResultMaskFlags::all().bits(),
    }
}

impl Script {
    /// Compares the attributes that nodes have with those of their NodeClass.
    pub async fn read_attributes(&self) -> Step {
        let connection = self.connect_main().await?;
        for nodes in self.config.attribute_nodes.chunks(NODES_PER_REQUEST) {
            self.read_attributes_of(&connection, nodes).await?;
        }
        connection.close().await?;
        Ok(format!("{} nodes", self.config.attribute_nodes.len()))
    }

    async fn read_attributes_of(&self, session: &Session, nodes: &[NodeId]) -> Result<(), Failure> {
        let reads: Vec<_> = nodes
            .iter()
            .flat_map(|node| {
                (1..=LAST_ATTRIBUTE).map(|attribute_id| ReadValueId {
                    node_id: node.clone(),
                    attribute_id,
                    ..Default::default()
                })
            })
            .collect();
        let results = session.read(&reads, TimestampsToReturn::Both, 0.0).await?;
        if results.len() != reads.len() {
            return Err(Failure::Fails(format!("{} results", results.len())));
        }
        for (node, attributes) in nodes.iter().zip(results.chunks(LAST_ATTRIBUTE as usize)) {
            let Some(Variant::Int32(node_class)) =
                attributes[AttributeId::NodeClass as usize - 1].value
            else {
                return Err(Failure::fails("no NodeClass")).at(node);
            };
            let class = self
                .config
                .attributes
                .values()
                .find(|class| class.node_class == node_class)
                .ok_or_else(|| Failure::Fails(format!("NodeClass {node_class}")))
                .at(node)?;
            for (attribute, result) in (1..).zip(attributes) {
                if !class.allows(attribute, result.status()) {
                    return Err(result.status()).at(format!("attribute {attribute} of {node}"));
                }
            }
        }
        Ok(())
    }
}

impl Class {
    fn allows(&self, attribute: u32, status: StatusCode) -> bool {
        const VALUE: u32 = AttributeId::Value as u32;
        const ROLE_PERMISSIONS: u32 = AttributeId::RolePermissions as u32;
        const USER_ROLE_PERMISSIONS: u32 = AttributeId::UserRolePermissions as u32;
        let is_missing = status == StatusCode::BadAttributeIdInvalid;
        if self.mandatory.contains(&attribute) {
            return status.is_good() || attribute == VALUE && !is_missing;
        }
        if !self.optional.contains(&attribute) {
            return is_missing;
        }
        let is_hidden =
            status == StatusCode::BadUserAccessDenied || status == StatusCode::BadNotReadable;
        status.is_good()
            || is_missing
            || is_hidden && matches!(attribute, ROLE_PERMISSIONS | USER_ROLE_PERMISSIONS)
    }
}
