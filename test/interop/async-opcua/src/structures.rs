//! DataTypeDefinitions, and structures of types loaded from the server.

use std::sync::Arc;

use opcua::{
    client::{Session, custom_types::DataTypeTreeBuilder},
    types::{
        AttributeId, BinaryEncodable, DataTypeDefinition, ExtensionObject, NumericRange,
        ReadValueId, StatusCode, StructureType, TimestampsToReturn, Variant,
        custom::{DataTypeTree, DynamicStructure, DynamicTypeLoader},
    },
};
use serde_json::{Map, Value};

use crate::{
    Script,
    config::{DataType, Structure},
    plain::{plain, want_equal},
    report::{At, Failure, Problems, Step, good},
    values::{read_value, write_value},
};

impl Script {
    pub async fn data_type_definitions(&self) -> Step {
        let connection = self.connect_main().await?;
        let mut problems = Problems::default();
        for data_type in &self.config.data_types {
            problems.add(
                check_definition(&connection, data_type)
                    .await
                    .at(&data_type.name),
            );
        }
        connection.close().await?;
        problems.or(format!("{} definitions", self.config.data_types.len()))
    }
}

async fn check_definition(session: &Session, wanted: &DataType) -> Result<(), Failure> {
    let read = ReadValueId::new(wanted.node_id.clone(), AttributeId::DataTypeDefinition);
    let mut results = session
        .read(&[read], TimestampsToReturn::Neither, 0.0)
        .await?;
    let result = results.pop().ok_or(StatusCode::BadNoData)?;
    good(result.status())?;
    let Some(Variant::ExtensionObject(object)) = result.value else {
        return Err(Failure::fails("no ExtensionObject"));
    };
    let (kind, fields) = match DataTypeDefinition::from_extension_object(object)? {
        DataTypeDefinition::Structure(definition) => (
            format!("{:?}", definition.structure_type),
            names(definition.fields, |field| field.name.to_string()),
        ),
        DataTypeDefinition::Enum(definition) => (
            "Enum".to_owned(),
            names(definition.fields, |field| field.name.to_string()),
        ),
    };
    if kind == wanted.kind && fields == wanted.fields {
        Ok(())
    } else {
        Err(Failure::Fails(format!("{kind} {fields:?}")))
    }
}

fn names<T>(fields: Option<Vec<T>>, name: impl Fn(&T) -> String) -> Vec<String> {
    fields.unwrap_or_default().iter().map(name).collect()
}

impl Script {
    /// Loads the server's types, reads values of them and writes them back.
    pub async fn structures(&self) -> Step {
        let connection = self.connect_main().await?;
        let types = DataTypeTreeBuilder::new(|_| true)
            .build(&connection)
            .await
            .at("loading types")?;
        let types = Arc::new(types);
        connection.add_type_loader(Arc::new(DynamicTypeLoader::new(types.clone())));
        let mut problems = Problems::default();
        let mut count = 0;
        for structure in &self.config.structures {
            if has_null_array(&types, structure) {
                continue;
            }
            count += 1;
            let checked = read_and_write(&connection, &types, structure).await;
            problems.add(checked.at(&structure.node_id));
        }
        connection.close().await?;
        problems.or(format!(
            "{count} of {} variables; left out: one with a null array, which the client can't decode",
            self.config.structures.len()
        ))
    }
}

/// The client takes the length -1 of a null array for a very large one, and closes the connection.
fn has_null_array(types: &DataTypeTree, structure: &Structure) -> bool {
    types
        .get_struct_type(&structure.data_type)
        .is_some_and(|definition| {
            let mut fields = definition.fields.iter();
            fields.any(|field| {
                field.value_rank > 0 && structure.value.get(&field.name).is_some_and(Value::is_null)
            })
        })
}

async fn read_and_write(
    session: &Session,
    types: &DataTypeTree,
    wanted: &Structure,
) -> Result<(), Failure> {
    let value = read_value(session, &wanted.node_id, NumericRange::None).await?;
    want_equal(&plain_structure(session, types, &value)?, &wanted.value)?;
    write_value(session, &wanted.node_id, NumericRange::None, value).await
}

/// `plain`, and structures as objects.
fn plain_structure(
    session: &Session,
    types: &DataTypeTree,
    value: &Variant,
) -> Result<Value, Failure> {
    match value {
        Variant::Array(array) => array
            .values
            .iter()
            .map(|element| plain_structure(session, types, element))
            .collect(),
        Variant::ExtensionObject(object) => plain_fields(session, types, object),
        _ => Ok(plain(value)),
    }
}

fn plain_fields(
    session: &Session,
    types: &DataTypeTree,
    object: &ExtensionObject,
) -> Result<Value, Failure> {
    let structure = object
        .inner_as::<DynamicStructure>()
        .ok_or_else(|| Failure::Fails(format!("not decoded: {:?}", object.type_name())))?;
    let definition = object
        .data_type()
        .and_then(|id| types.get_struct_type(&id.node_id))
        .ok_or_else(|| Failure::fails("the type is not loaded"))?;
    let mut fields = definition.fields.iter();
    if definition.structure_type == StructureType::Union {
        // The client tells the value of the one field, but not which one; its encoding does.
        let context = session.context();
        let body = structure.encode_to_vec(&context.read().context());
        let selected = u32::from_le_bytes(body[..4].try_into().unwrap_or_default()) as usize;
        fields = definition.fields[selected.saturating_sub(1)..].iter();
    }
    let mut object = Map::new();
    for (field, value) in fields.zip(structure.values()) {
        if !(field.is_optional && value.is_empty()) {
            object.insert(field.name.clone(), plain_structure(session, types, value)?);
        }
    }
    Ok(Value::Object(object))
}
