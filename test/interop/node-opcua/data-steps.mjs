import { AttributeIds, BrowseDirection, DataType, NumericRange } from 'node-opcua';
import { Cannot, check, each } from './report.mjs';
import { expectSame, fromJson, sameJson, toJson } from './values.mjs';

const NODES_PER_REQUEST = 100;
/** What the library gets wrong; client.json says why. */
const UNKNOWN_STATUS = 'ns=2;s=Special.StatusCode.Unknown';
const EMPTY_UNION = 'ns=2;s=Structure.CargoNone';
const attributeIds = Array.from({ length: 27 }, (_, i) => i + 1);

export async function browseAll({ browse }, session) {
  session.requestedMaxReferencesPerNode = browse.maxReferencesPerNode;
  const seen = new Set([browse.startNodeId]);
  const todo = [browse.startNodeId];
  let continued = 0;
  while (todo.length > 0) {
    let results = await session.browse(todo.splice(0, NODES_PER_REQUEST).map(forward));
    while (results.length > 0) {
      const points = [];
      for (const { statusCode, references, continuationPoint } of results) {
        check(statusCode.isGood(), `browse: ${statusCode.name}`);
        check(references.length <= browse.maxReferencesPerNode, `${references.length} references at once`);
        for (const { nodeId } of references) {
          const id = nodeId.toString();
          if (seen.has(id)) continue;
          seen.add(id);
          todo.push(id);
        }
        if (continuationPoint?.length > 0) points.push(continuationPoint);
      }
      continued += points.length;
      results = points.length > 0 ? await session.browseNext(points, false) : [];
    }
  }
  // Root itself has come back as a target under its long name.
  if (seen.has('ns=0;i=84')) seen.delete('i=84');
  check(seen.size === browse.nodeCount, `${seen.size} nodes instead of ${browse.nodeCount}`);
  return `${seen.size} nodes, ${continued} continuation points`;
}

function forward(nodeId) {
  return {
    nodeId,
    browseDirection: BrowseDirection.Forward,
    referenceTypeId: null,
    includeSubtypes: true,
    nodeClassMask: 0,
    resultMask: 63,
  };
}

export async function readAttributes({ attributes, attributeNodes }, session) {
  const byClass = new Map(Object.entries(attributes).map(([name, entry]) => [entry.nodeClass, { name, ...entry }]));
  const wrong = [];
  for (let i = 0; i < attributeNodes.length; i += 20) {
    const part = attributeNodes.slice(i, i + 20);
    const results = await session.read(part.flatMap((nodeId) => attributeIds.map((attributeId) => ({ nodeId, attributeId }))));
    for (const [index, nodeId] of part.entries()) {
      const values = results.slice(index * attributeIds.length, (index + 1) * attributeIds.length);
      const entry = byClass.get(values[1].value.value);
      check(entry !== undefined, `${nodeId}: NodeClass ${values[1].value.value}`);
      for (const [j, { statusCode }] of values.entries()) {
        if (!isAllowed(entry, attributeIds[j], statusCode.name)) {
          wrong.push(`${entry.name} ${nodeId} attribute ${attributeIds[j]}: ${statusCode.name}`);
        }
      }
    }
  }
  check(wrong.length === 0, `${wrong.length} wrong, first ${wrong[0]}`);
  return `${attributeNodes.length * attributeIds.length} attributes`;
}

function isAllowed({ mandatory, optional }, attribute, status) {
  const isValue = attribute === AttributeIds.Value;
  if (mandatory.includes(attribute)) return isValue ? status !== 'BadAttributeIdInvalid' : status === 'Good';
  if (!optional.includes(attribute)) return status === 'BadAttributeIdInvalid';
  const isPermissions = attribute === AttributeIds.RolePermissions || attribute === AttributeIds.UserRolePermissions;
  if (isPermissions && (status === 'BadUserAccessDenied' || status === 'BadNotReadable')) return true;
  return isValue || status === 'Good' || status === 'BadAttributeIdInvalid';
}

async function readValue(session, nodeId, indexRange) {
  return session.read({
    nodeId,
    attributeId: AttributeIds.Value,
    ...(indexRange === undefined ? {} : { indexRange: rangeOf(indexRange) }),
  });
}

/** The library parses ranges itself; a malformed one has to get through all the same. */
function rangeOf(text) {
  return new NumericRange(text);
}

async function write(session, nodeId, value, indexRange) {
  const statusCode = await session.write({
    nodeId,
    attributeId: AttributeIds.Value,
    ...(indexRange === undefined ? {} : { indexRange: rangeOf(indexRange) }),
    value: { value },
  });
  return statusCode.name;
}

export async function readValues({ values }, session) {
  const done = await each(
    values.filter(({ nodeId }) => nodeId !== UNKNOWN_STATUS),
    ({ nodeId }) => nodeId,
    async ({ nodeId, type, value }) => {
      const { value: found } = await readValue(session, nodeId);
      check(DataType[found.dataType] === type, `type ${DataType[found.dataType]}`);
      const json = toJson(found.value, found.dataType);
      check(sameJson(json, value), () => `${JSON.stringify(json).slice(0, 90)} instead of ${JSON.stringify(value).slice(0, 90)}`);
    },
  );
  return `${done}; left out: a StatusCode that the client does not know`;
}

export function writeAll(key) {
  return (config, session) =>
    each(
      Object.entries(config[key]),
      ([type]) => type,
      async ([, { writable, readOnly }]) => {
        const before = (await readValue(session, writable)).value;
        const wanted = (await readValue(session, readOnly)).value;
        for (const value of [wanted, before]) {
          const status = await write(session, writable, value);
          check(status === 'Good', `write: ${status}`);
          expectSame((await readValue(session, writable)).value, value);
        }
      },
    );
}

export function callMethods({ methods }, session) {
  return each(
    methods,
    ({ name }) => name,
    async ({ objectId, methodId, inputs, outputs, status = 'Good' }) => {
      const inputArguments = [];
      for (const { read, type, value } of inputs) {
        inputArguments.push(read === undefined ? fromJson(type, value) : (await readValue(session, read)).value);
      }
      const result = await session.call({ objectId, methodId, inputArguments });
      check(result.statusCode.name === status, result.statusCode.name);
      if (outputs === undefined) return;
      const found = result.outputArguments ?? [];
      check(found.length === outputs.length, `${found.length} outputs`);
      for (const [i, { sameAs, type, value }] of outputs.entries()) {
        expectSame(found[i], sameAs === undefined ? fromJson(type, value) : inputArguments[sameAs]);
      }
    },
  );
}

export async function indexRanges({ indexRanges: reads, indexRangeWrites }, session) {
  const label = ({ nodeId, range }) => `${nodeId}[${range}]`;
  const read = await each(reads, label, async ({ nodeId, range, value, dimensions, status = 'Good' }) => {
    const found = await readValue(session, nodeId, range);
    check(found.statusCode.name === status, found.statusCode.name);
    if (value === undefined) return;
    const json = toJson(found.value.value, found.value.dataType);
    check(sameJson(json, value), `${JSON.stringify(json)} instead of ${JSON.stringify(value)}`);
    check(dimensions === undefined || String(found.value.dimensions) === String(dimensions), `dimensions ${found.value.dimensions}`);
  });
  const written = await each(indexRangeWrites, label, async ({ nodeId, range, type, write: value, after, status = 'Good' }) => {
    const before = (await readValue(session, nodeId)).value;
    const found = await write(session, nodeId, fromJson(type, value), range);
    check(found === status, found);
    if (after === undefined) return;
    const { value: whole } = await readValue(session, nodeId);
    check(sameJson(toJson(whole.value, whole.dataType), after), `then ${toJson(whole.value)}`);
    await write(session, nodeId, before);
  });
  return `reads: ${read}, writes: ${written}`;
}

/** By StructureType. */
const kinds = ['Structure', 'StructureWithOptionalFields', 'Union'];

export function dataTypeDefinitions({ dataTypes }, session) {
  return each(
    dataTypes,
    ({ name }) => name,
    async ({ nodeId, kind, fields }) => {
      const { statusCode, value } = await session.read({ nodeId, attributeId: AttributeIds.DataTypeDefinition });
      check(statusCode.isGood(), statusCode.name);
      const definition = value.value;
      const found = definition.structureType === undefined ? 'Enum' : kinds[definition.structureType];
      check(found === kind, `${found} instead of ${kind}`);
      const names = definition.fields.map(({ name }) => name);
      check(names.join() === fields.join(), `fields ${names}`);
    },
  );
}

export async function structures({ structures: wanted }, session) {
  await session.extractNamespaceDataType();
  const done = await each(
    wanted,
    ({ nodeId }) => nodeId,
    async ({ nodeId, value }) => {
      const found = await readValue(session, nodeId);
      check(found.statusCode.isGood(), found.statusCode.name);
      const json = toJson(found.value.value, found.value.dataType);
      check(sameJson(json, value), `${JSON.stringify(json)} instead of ${JSON.stringify(value)}`);
      if (nodeId === EMPTY_UNION) return;
      const status = await write(session, nodeId, found.value);
      check(status === 'Good', `write: ${status}`);
      const again = await readValue(session, nodeId);
      check(sameJson(toJson(again.value.value, again.value.dataType), value), 'read back differently');
    },
  );
  return `${done}; left out: to write an empty union`;
}

export async function events() {
  throw new Cannot('the server has no events yet');
}
