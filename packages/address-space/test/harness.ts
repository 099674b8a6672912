import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AddressSpace, type AddressSpaceOptions } from '@bulkhead/address-space';
import type { SessionContext } from '@bulkhead/contracts';
import { createManualRuntime, type ManualRuntime } from '@bulkhead/testkit';
import {
  AttributeIds,
  BrowseDescription,
  BrowseDirection,
  CallMethodRequest,
  type CallMethodResult,
  type DataValue,
  MessageSecurityMode,
  NodeId,
  ReadValueId,
  type ReferenceDescription,
  type StatusCode,
  TimestampsToReturn,
  UserTokenType,
  type Variant,
  WriteValue,
} from '@bulkhead/types';

export interface Fixture {
  readonly space: AddressSpace;
  readonly runtime: ManualRuntime;
}

/** An address space with the standard namespace, on a clock that stands still. */
export function createFixture(options: Partial<AddressSpaceOptions> = {}): Fixture {
  const runtime = createManualRuntime();
  const space = new AddressSpace({ runtime, applicationUri: 'urn:test:server', ...options });
  space.loadCoreNamespace();
  return { space, runtime };
}

export const Roles = {
  Anonymous: NodeId.numeric(0, 15644),
  AuthenticatedUser: NodeId.numeric(0, 15656),
  Operator: NodeId.numeric(0, 15680),
  SecurityAdmin: NodeId.numeric(0, 15704),
};

export function session(
  roles: readonly NodeId[] = [Roles.Anonymous],
  securityMode: MessageSecurityMode = MessageSecurityMode.None,
): SessionContext {
  return {
    sessionId: NodeId.numeric(1, 1),
    sessionName: 'test',
    identity: { kind: UserTokenType.Anonymous, name: undefined, roles },
    localeIds: [],
    channel: {
      channelId: 1,
      transportProfileUri: '',
      endpointUrl: '',
      remote: { address: '127.0.0.1', port: 1 },
      securityPolicyUri: '',
      securityMode,
      clientCertificate: undefined,
      serverCertificate: undefined,
      isOpen: true,
    },
    clientApplicationUri: 'urn:test:client',
    isActivated: true,
    maxResponseMessageBytes: 0,
  };
}

export interface ReadOptions {
  readonly attributeId?: number;
  readonly indexRange?: string;
  readonly dataEncoding?: ReadValueId['dataEncoding'];
  readonly timestamps?: TimestampsToReturn;
  readonly maxAgeMs?: number;
  readonly session?: SessionContext;
  readonly signal?: AbortSignal;
}

export function read(space: AddressSpace, nodeId: NodeId, options: ReadOptions = {}): DataValue | Promise<DataValue> {
  const {
    attributeId = AttributeIds.Value,
    indexRange,
    dataEncoding,
    timestamps = TimestampsToReturn.Both,
    maxAgeMs = 0,
    signal,
  } = options;
  const item = ReadValueId.create({
    nodeId,
    attributeId,
    ...(indexRange === undefined ? {} : { indexRange }),
    ...(dataEncoding === undefined ? {} : { dataEncoding }),
  });
  return space.readAttribute(options.session ?? session(), item, timestamps, maxAgeMs, signal === undefined ? undefined : { signal });
}

/** A read that must be answered at once. */
export function readNow(space: AddressSpace, nodeId: NodeId, options: ReadOptions = {}): DataValue {
  const value = read(space, nodeId, options);
  if (value instanceof Promise) throw new Error('the read is not answered at once');
  return value;
}

export function write(
  space: AddressSpace,
  nodeId: NodeId,
  value: DataValue,
  options: { readonly attributeId?: number; readonly indexRange?: string; readonly session?: SessionContext } = {},
): StatusCode | Promise<StatusCode> {
  const { attributeId = AttributeIds.Value, indexRange = null } = options;
  return space.writeAttribute(options.session ?? session(), WriteValue.create({ nodeId, attributeId, indexRange, value }));
}

export function browseAll(space: AddressSpace, nodeId: NodeId, options: Partial<BrowseDescription> = {}): readonly ReferenceDescription[] {
  const description = BrowseDescription.create({
    nodeId,
    browseDirection: BrowseDirection.Forward,
    includeSubtypes: true,
    resultMask: 63,
    ...options,
  });
  return space.browse(session(), description, undefined, Number.POSITIVE_INFINITY).references;
}

export function call(
  space: AddressSpace,
  objectId: NodeId,
  methodId: NodeId,
  inputArguments: readonly Variant[] = [],
  caller: SessionContext = session(),
): CallMethodResult | Promise<CallMethodResult> {
  return space.callMethod(caller, CallMethodRequest.create({ objectId, methodId, inputArguments }));
}

const require = createRequire(import.meta.url);
const nodeSetsFolder: string = join(dirname(require.resolve('node-opcua-nodesets/package.json')), 'nodesets');

/** Text of a NodeSet document of `node-opcua-nodesets`. */
export function nodeSetXml(fileName: string): Promise<string> {
  return readFile(join(nodeSetsFolder, fileName), 'utf8');
}
