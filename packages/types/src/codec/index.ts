export { decodeDateTime, encodeDateTime } from './date-time-codec.ts';
export { decodeDiagnosticInfo, encodeDiagnosticInfo } from './diagnostic-info-codec.ts';
export { decodeExtensionObject, encodeExtensionObject } from './extension-object-codec.ts';
export { decodeGuid, encodeGuid } from './guid-codec.ts';
export { decodeExpandedNodeId, decodeNodeId, encodeExpandedNodeId, encodeNodeId } from './node-id-codec.ts';
export { decodeLocalizedText, decodeQualifiedName, encodeLocalizedText, encodeQualifiedName } from './text-codec.ts';
export { decodeBuiltIn, decodeDataValue, decodeVariant, encodeBuiltIn, encodeDataValue, encodeVariant } from './variant-codec.ts';
