import { DataTypeIds, MethodIds, ObjectIds, ObjectTypeIds, ReferenceTypeIds, VariableIds, VariableTypeIds } from 'node-opcua-constants';
import { ConstantStatusCode, StatusCodes } from 'node-opcua-status-code';
import type { NodeIdTable, StatusCodeModel } from './schema-model.ts';

/** The ids that the data package lists. */
export function readNodeIds(): NodeIdTable {
  return {
    objectIds: numericMembers(ObjectIds),
    objectTypeIds: numericMembers(ObjectTypeIds),
    variableIds: numericMembers(VariableIds),
    variableTypeIds: numericMembers(VariableTypeIds),
    dataTypeIds: numericMembers(DataTypeIds),
    referenceTypeIds: numericMembers(ReferenceTypeIds),
    methodIds: numericMembers(MethodIds),
  };
}

/** The StatusCodes that the data package lists, without combinations with info bits, by code. */
export function readStatusCodes(): StatusCodeModel[] {
  const codes: StatusCodeModel[] = [];
  for (const [name, member] of Object.entries(StatusCodes)) {
    if (member instanceof ConstantStatusCode) codes.push({ name, code: member.value, description: member.description });
  }
  return codes.sort((a, b) => a.code - b.code);
}

/** Members of a TypeScript enum without its reverse mapping. */
function numericMembers(members: Readonly<Record<string, string | number>>): Map<string, number> {
  const ids = new Map<string, number>();
  for (const [name, id] of Object.entries(members)) {
    if (typeof id === 'number') ids.set(name, id);
  }
  return ids;
}
