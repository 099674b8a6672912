import { DataType, LocalizedText, StatusCode, Variant, VariantArrayType } from 'node-opcua';

const SMALLEST_TIME = '1601-01-01T00:00:00.000Z';
const LARGEST_TIME = '9999-12-31T23:59:59.000Z';

/** The value in the form of config.json; custom structures become objects. */
export function toJson(value, dataType) {
  if (value instanceof Variant) return { type: DataType[value.dataType], value: toJson(value.value, value.dataType) };
  if (isWide(value, dataType)) return wideToText(value, dataType);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !Buffer.isBuffer(value))) {
    return Array.from(value, (element) => toJson(element, dataType));
  }
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (value instanceof Date) return limitTime(value.toISOString());
  if (dataType === DataType.Guid) return value.toLowerCase();
  if (value instanceof StatusCode) return value.value;
  if (dataType === DataType.NodeId || dataType === DataType.ExpandedNodeId) return nodeIdText(value);
  if (value instanceof LocalizedText) return { locale: value.locale ?? null, text: value.text ?? null };
  if (dataType === DataType.QualifiedName) return { namespaceIndex: value.namespaceIndex, name: value.name ?? null };
  if (typeof value === 'object') return structureToJson(value);
  return value;
}

function structureToJson(value) {
  const entries = Object.entries(value).filter(([name, field]) => name !== 'schema' && name !== 'switchField' && field !== undefined);
  return Object.fromEntries(entries.map(([name, field]) => [name[0].toUpperCase() + name.slice(1), toJson(field)]));
}

/** Int64 and UInt64 are pairs of the high and the low half. */
function isWide(value, dataType) {
  return (
    (dataType === DataType.Int64 || dataType === DataType.UInt64) &&
    (value?.length === 2 || value?.length === 3) &&
    typeof value[0] === 'number'
  );
}

function wideToText([high, low], dataType) {
  const bits = (BigInt(high) << 32n) | BigInt(low);
  return String(dataType === DataType.Int64 ? BigInt.asIntN(64, bits) : BigInt.asUintN(64, bits));
}

function nodeIdText(nodeId) {
  const text = nodeId.toString().replace(/^ns=0;/u, '');
  return text.replace(/(?<=^|;)g=.*/u, lowerCase);
}

const lowerCase = (text) => text.toLowerCase();

function limitTime(text) {
  if (text.startsWith('+') || text > LARGEST_TIME) return LARGEST_TIME;
  return text <= SMALLEST_TIME ? SMALLEST_TIME : text;
}

/** A Variant of a value of config.json. */
export function fromJson(type, value) {
  const dataType = DataType[type];
  const isArray = Array.isArray(value);
  const convert = converters[type] ?? ((same) => same);
  return new Variant({
    dataType,
    arrayType: isArray ? VariantArrayType.Array : VariantArrayType.Scalar,
    value: isArray ? value.map(convert) : convert(value),
  });
}

const wide = (text) => {
  const bits = BigInt.asUintN(64, BigInt(text));
  return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
};
const converters = {
  Int64: wide,
  UInt64: wide,
  Float: Number,
  Double: Number,
  ByteString: (text) => (text === null ? null : Buffer.from(text, 'hex')),
  LocalizedText: (text) => new LocalizedText(text),
};

/** Equal, where a missing field stands for null, and an empty array for a null one. */
export function sameJson(left, right) {
  if (isNothing(left) && isNothing(right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((element, i) => sameJson(element, right[i]));
  }
  if (isObject(left) && isObject(right)) {
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => sameJson(left[key], right[key]));
  }
  if (isTime(left) && isTime(right)) return limitTime(left) === limitTime(right);
  return left === right;
}

const isNothing = (value) => value === null || value === undefined || (Array.isArray(value) && value.length === 0);
const isObject = (value) => typeof value === 'object' && value !== null;
const isTime = (value) => typeof value === 'string' && value.endsWith('Z');

/** What is compared when a Variant was written and read back, or echoed. */
export function variantJson({ dataType, arrayType, dimensions, value }) {
  return {
    type: DataType[dataType],
    arrayType: VariantArrayType[arrayType],
    dimensions: dimensions ?? null,
    value: toJson(value, dataType),
  };
}

/** @throws Error with the first thing in which two Variants differ. */
export function expectSame(found, wanted) {
  const left = variantJson(found);
  const right = variantJson(wanted);
  for (const key of Object.keys(left)) {
    const [a, b] = [JSON.stringify(left[key]), JSON.stringify(right[key])];
    if (a !== b) throw new Error(`${key}: ${a.slice(0, 90)} instead of ${b.slice(0, 90)}`);
  }
}
