export type { AddressSpace, MethodNode, Node, ObjectNode, VariableNode } from '@bulkhead/address-space';
export {
  AddressRangeClassifier,
  ApplicationClassifier,
  ChunkReassemblyBudget,
  FirstMatchClassifier,
  type ResourceIsolationClassifier,
  type ResourceIsolationOptions,
  type ResourceIsolationProvider,
  UserClassifier,
} from '@bulkhead/resource-isolation';
export {
  type AddNodes,
  KiB,
  MiB,
  OpcUaServer,
  OptionsError,
  type ParkingCandidate,
  type PkiOptions,
  type RequestParkingPolicy,
  type RequestSchedulingOptions,
  type SecurityOptions,
  type ServerCounts,
  type ServerOptions,
  type UserValidator,
} from '@bulkhead/server';
export {
  BuiltInType,
  DataValue,
  DateTime,
  LocalizedText,
  NodeId,
  QualifiedName,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
export { addOpcUa, OpcUaBuilder, OpcUaServerBuilder } from './opcua-builder.ts';
