export { decodeJson, decodeJsonBuiltIn, encodeJson, encodeJsonBuiltIn } from './json-codec.ts';
export type { JsonContext, JsonFlavour, JsonObject, JsonStructures, JsonUriTables } from './json-context.ts';
export { decodeJsonRequest, decodeJsonResponse, encodeJsonMessage, type JsonRequest } from './json-message.ts';
export { type JsonSchema, jsonSchemaDefinitions, jsonSchemaOf } from './json-schema.ts';
export { parseJson } from './json-text.ts';
