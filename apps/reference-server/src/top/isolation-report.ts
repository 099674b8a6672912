import type { ClientSession } from '@bulkhead/client';
import { BinaryReader, type DataValue, ExtensionObject, isBad, NodeId, type Variant } from '@bulkhead/types';

/** A caller as the server accounts for it. */
export interface OwnerRow {
  readonly key: string;
  readonly ownerClass: string;
  /** How long its requests have held the event loop, ms. */
  readonly executionMs: number;
  readonly refusalCount: number;
  readonly retainedBytes: number;
  /** In use, in the order of the stages. */
  readonly usage: readonly number[];
}

/** A stage of isolation. */
export interface StageRow {
  readonly stage: string;
  readonly unit: string;
  readonly used: number;
  /** 0 where it isn't known. */
  readonly total: number;
}

/** What `server.isolation` tells, read over OPC UA at one moment. */
export interface IsolationReading {
  /** Of a clock that only goes forward. */
  readonly atMs: number;
  readonly owners: readonly OwnerRow[];
  readonly stages: readonly StageRow[];
}

/** The server's own namespace has index 1. OPC 10000-5 §6.3.1. */
const OWN_NAMESPACE = 1;
const MAX_STAGES = 64;
const nodeIds = ['Owners', 'Stages'].map((name) => NodeId.string(OWN_NAMESPACE, `Server.Isolation.${name}`));
/**
 * Reads who uses a server.
 * @returns undefined when the server has no such nodes or this user may not read them.
 * @throws UaStatusError of the request
 */
export async function readIsolation(session: ClientSession, nowMs: () => number): Promise<IsolationReading | undefined> {
  const [owners, stages] = await session.readValues(nodeIds);
  const atMs = nowMs();
  if (owners === undefined || stages === undefined || isBad(owners.statusCode) || isBad(stages.statusCode)) return undefined;
  return { atMs, owners: rowsOf(owners, readOwner), stages: rowsOf(stages, readStage) };
}

function rowsOf<T>({ value }: DataValue, read: (reader: BinaryReader) => T): readonly T[] {
  const objects = (value as Variant | undefined)?.value;
  if (!Array.isArray(objects)) return [];
  return objects.flatMap((object: unknown) => {
    const body = object instanceof ExtensionObject ? object.toBinaryBody() : undefined;
    return body === undefined ? [] : [read(new BinaryReader(body))];
  });
}

/** The fields in the order in which the server's structure has them. */
function readOwner(reader: BinaryReader): OwnerRow {
  return {
    key: reader.readString() ?? '',
    ownerClass: reader.readString() ?? '',
    executionMs: reader.readDouble(),
    refusalCount: reader.readDouble(),
    retainedBytes: reader.readDouble(),
    usage: Array.from({ length: Math.min(MAX_STAGES, Math.max(0, reader.readInt32())) }, () => reader.readDouble()),
  };
}

function readStage(reader: BinaryReader): StageRow {
  return {
    stage: reader.readString() ?? '',
    unit: reader.readString() ?? '',
    used: reader.readDouble(),
    total: reader.readDouble(),
  };
}
