import { AddressSpace } from '@bulkhead/address-space';
import type { SessionContext } from '@bulkhead/contracts';
import type { MessageSecurityMode, StatusCode } from '@bulkhead/types';
import {
  AttributeIds,
  type CallMethodResult,
  DataValue,
  DateTime,
  MessageSecurityMode as Mode,
  NodeId,
  ObjectIds,
  QualifiedName,
  TimestampsToReturn,
  UserTokenType,
  type Variant,
} from '@bulkhead/types';
import { addReferenceNodes, type ReferenceNodes } from '../src/nodes/reference-nodes.ts';

/** Intervals that tests let pass themselves. */
export class ManualIntervals {
  readonly #running = new Set<{ readonly periodMs: number; readonly run: () => void }>();

  readonly every = (periodMs: number, run: () => void): (() => void) => {
    const interval = { periodMs, run };
    this.#running.add(interval);
    return () => this.#running.delete(interval);
  };

  get periodsMs(): number[] {
    return [...this.#running].map(({ periodMs }) => periodMs);
  }

  /** Lets every interval of that period come round once. */
  tick(periodMs: number): void {
    for (const interval of this.#running) if (interval.periodMs === periodMs) interval.run();
  }
}

/** An address space with the reference nodes, and short ways to use it. */
export interface ReferenceSpace {
  readonly space: AddressSpace;
  readonly nodes: ReferenceNodes;
  readonly intervals: ManualIntervals;
  /** Event names of what was logged. */
  readonly logged: string[];
  read(id: string, attributeId?: number, session?: SessionContext): Promise<DataValue>;
  write(id: string, value: Variant | DataValue, session?: SessionContext, attributeId?: number): Promise<StatusCode>;
  call(name: string, inputArguments: readonly Variant[], signal?: AbortSignal): Promise<CallMethodResult>;
}

export async function createReferenceSpace(benchTickMs = 0): Promise<ReferenceSpace> {
  const logged: string[] = [];
  const timers = {
    after: (delayMs: number, run: () => void) => {
      const timeout = setTimeout(run, delayMs);
      return { cancel: () => clearTimeout(timeout) };
    },
  };
  const clock = { nowMs: () => performance.now(), utcNow: () => DateTime.fromDate(new Date()) };
  const log = { isEnabled: () => true, log: (_: string, event: string) => void logged.push(event) };
  const space = new AddressSpace({ runtime: { clock, timers, log }, applicationUri: 'urn:test', sourceTimeoutMs: 50 });
  space.loadCoreNamespace();
  const intervals = new ManualIntervals();
  const nodes = await addReferenceNodes(space, { benchTickMs, every: intervals.every });
  return {
    space,
    nodes,
    intervals,
    logged,
    read: async (id, attributeId = AttributeIds.Value, session) => {
      const item = { nodeId: NodeId.parse(id), attributeId, indexRange: null, dataEncoding: QualifiedName.NULL };
      return space.readAttribute(session, item, TimestampsToReturn.Both, 0);
    },
    write: async (id, value, session, attributeId = AttributeIds.Value) => {
      const dataValue = 'statusCode' in value ? value : new DataValue(value);
      return space.writeAttribute(session, { nodeId: NodeId.parse(id), attributeId, indexRange: null, value: dataValue });
    },
    call: async (name, inputArguments, signal) => {
      const request = {
        objectId: NodeId.parse('ns=2;s=Method'),
        methodId: NodeId.parse(`ns=2;s=Method.${name}`),
        inputArguments: [...inputArguments],
      };
      return space.callMethod(undefined, request, signal === undefined ? undefined : { signal });
    },
  };
}

type RoleName = 'Anonymous' | 'AuthenticatedUser' | 'Observer' | 'Operator';

/** A session as far as access control looks at it. */
export function sessionWith(roles: readonly RoleName[], securityMode: MessageSecurityMode = Mode.SignAndEncrypt): SessionContext {
  return {
    identity: {
      kind: UserTokenType.UserName,
      name: 'test',
      roles: roles.map((role) => NodeId.numeric(0, ObjectIds[`WellKnownRole_${role}`])),
    },
    channel: { securityMode },
    localeIds: [],
  } as unknown as SessionContext;
}
