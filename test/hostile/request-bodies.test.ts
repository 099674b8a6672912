import { encodeMessage, RawUacpPeer } from '@bulkhead/testkit';
import {
  AddNodesRequest,
  allStructureTypes,
  BinaryWriter,
  BuiltInType,
  encodeNodeId,
  GetEndpointsRequest,
  NodeId,
  QueryFirstRequest,
  ReadRequest,
  ReadResponse,
  RequestHeader,
  ServiceFault,
  WriteRequest,
} from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { HostileTest } from './bystander.ts';
import { statusName } from './status-names.ts';

const NODE = 'ns=1;s=Bystander';
const VALUE_ATTRIBUTE = 13;
/** Encoding mask of a DataValue that has nothing but a value. */
const DATA_VALUE_WITH_VALUE = 1;
let hostile: HostileTest;

beforeAll(async () => {
  hostile = await HostileTest.start();
});

afterAll(() => hostile.end());

/** Sends a body as it stands; the answer's code and handle, and whether it was a ServiceFault. */
async function answerTo(session: RawSession, body: Uint8Array): Promise<readonly [status: string, requestHandle: number]> {
  const { channel } = session.peer;
  const requestId = channel.nextRequestId++;
  session.peer.send(channel.chunk('MSG', 'F', requestId, body));
  const { header, typeId } = await session.peer.response(requestId);
  if (typeId !== ServiceFault.binaryEncodingId) return ['no fault', header.requestHandle];
  return [statusName(header.serviceResult), header.requestHandle];
}

/** Runs an attack with an activated Session, which has to work before and after. */
async function withSession(attack: (session: RawSession) => Promise<void>): Promise<void> {
  await hostile.costsOnlyItsSender(async () => {
    const session = await RawSession.open({ port: hostile.port });
    await attack(session);
    expect((await session.read(NODE)).results?.[0]?.value?.value).toBe(42);
    await session.close();
  });
}

function readBody(session: RawSession, requestHandle: number): Buffer {
  return encodeMessage(ReadRequest, ReadRequest.create({ ...readOf([NODE]), requestHeader: session.header({ requestHandle }) }));
}

/** Everything of a Read before its array of nodes. */
function readStart(session: RawSession, requestHandle: number): BinaryWriter {
  const writer = new BinaryWriter();
  encodeNodeId(writer, NodeId.numeric(0, ReadRequest.binaryEncodingId));
  RequestHeader.encode(writer, session.header({ requestHandle }));
  writer.writeDouble(0);
  writer.writeInt32(0);
  return writer;
}

/** A Variant with an array of one Variant with an array … of one Int32, written by hand: no encoder goes that deep. */
function nestedVariant(levels: number): Buffer {
  const arrayOfOneVariant = Buffer.of(0x80 | BuiltInType.Variant, 1, 0, 0, 0);
  return Buffer.concat([...new Array<Buffer>(levels).fill(arrayOfOneVariant), Buffer.of(BuiltInType.Int32, 1, 0, 0, 0)]);
}

describe('a request whose body is wrong gets a ServiceFault with its handle, and its Session lives on', () => {
  it('cut off anywhere', async () => {
    await withSession(async (session) => {
      const whole = readBody(session, 4711);
      const headerEnd = whole.length - 30;
      for (let length = headerEnd; length < whole.length; length++) {
        const [status, handle] = await answerTo(session, whole.subarray(0, length));
        expect([length, status, handle]).toEqual([length, 'BadDecodingError', 4711]);
      }
    });
  });

  it('cut off in its header: the handle comes back as soon as it is in the message', async () => {
    await withSession(async (session) => {
      const whole = readBody(session, 4711);
      const handleEnd = whole.indexOf(Buffer.from([0x67, 0x12, 0, 0])) + 4;
      for (const length of [0, 1, 4, 10, handleEnd - 1])
        expect(await answerTo(session, whole.subarray(0, length))).toEqual(['BadDecodingError', 0]);
      for (const length of [handleEnd, handleEnd + 5])
        expect(await answerTo(session, whole.subarray(0, length))).toEqual(['BadDecodingError', 4711]);
    });
  });

  it('bytes after its last field (OPC 10000-6 defines no field there)', async () => {
    await withSession(async (session) => {
      const body = readBody(session, 12);
      expect(await answerTo(session, Buffer.concat([body, Buffer.of(0)]))).toEqual(['BadDecodingError', 12]);
      expect(await answerTo(session, Buffer.concat([body, body]))).toEqual(['BadDecodingError', 12]);
    });
  });

  it.each([
    [0x7fff_ffff, 'BadEncodingLimitsExceeded'],
    [1_000_001, 'BadEncodingLimitsExceeded'],
    [1_000_000, 'BadDecodingError'],
    [3, 'BadDecodingError'],
  ])('an array that claims %i elements', async (length, status) => {
    await withSession(async (session) => {
      const writer = readStart(session, 13);
      writer.writeInt32(length);
      expect(await answerTo(session, writer.toBuffer())).toEqual([status, 13]);
    });
  });

  it.each([
    [0x7fff_ffff, 'BadEncodingLimitsExceeded'],
    [4 * 1024 * 1024 + 1, 'BadEncodingLimitsExceeded'],
    [4 * 1024 * 1024, 'BadDecodingError'],
    [100, 'BadDecodingError'],
  ])('a string that claims %i bytes', async (length, status) => {
    await withSession(async (session) => {
      const writer = readStart(session, 14);
      writer.writeInt32(1);
      encodeNodeId(writer, NodeId.parse(NODE));
      writer.writeUInt32(13);
      writer.writeInt32(length);
      writer.writeBytes(Buffer.from('short'));
      expect(await answerTo(session, writer.toBuffer())).toEqual([status, 14]);
    });
  });

  it.each([
    [99, 'no fault'],
    [101, 'BadEncodingLimitsExceeded'],
    [5000, 'BadEncodingLimitsExceeded'],
  ])('Variants nested %i deep', async (levels, status) => {
    await withSession(async (session) => {
      const writer = new BinaryWriter();
      encodeNodeId(writer, NodeId.numeric(0, WriteRequest.binaryEncodingId));
      RequestHeader.encode(writer, session.header({ requestHandle: 15 }));
      writer.writeInt32(1);
      encodeNodeId(writer, NodeId.parse(NODE));
      writer.writeUInt32(VALUE_ATTRIBUTE);
      writer.writeString(null);
      writer.writeBytes(Buffer.concat([Buffer.of(DATA_VALUE_WITH_VALUE), nestedVariant(levels)]));
      const body = writer.toBuffer();
      expect(await answerTo(session, body)).toEqual([status, 15]);
    });
  });

  it('noise instead of any body', async () => {
    await withSession(async (session) => {
      const head = readStart(session, 16).toBuffer();
      for (let fill = 0; fill < 256; fill += 15) {
        const [status, handle] = await answerTo(session, Buffer.concat([head, Buffer.alloc(400, fill)]));
        expect(['no fault', 'BadDecodingError', 'BadEncodingLimitsExceeded', 'BadNothingToDo']).toContain(status);
        expect(handle).toBe(16);
      }
    });
  });
});

describe('a request for a service that is not there', () => {
  it.each([
    ['a service that this server does not have', NodeId.numeric(0, AddNodesRequest.binaryEncodingId)],
    ['another one', NodeId.numeric(0, QueryFirstRequest.binaryEncodingId)],
    ['a response', NodeId.numeric(0, ReadResponse.binaryEncodingId)],
    ['an id that nothing has', NodeId.numeric(0, 4_000_000_000)],
    ['id 0', NodeId.numeric(0, 0)],
    ['a service of another namespace', NodeId.numeric(1, ReadRequest.binaryEncodingId)],
    ['a name', NodeId.string(0, 'ReadRequest')],
    ['a GUID', NodeId.guid(0, '72962b91-fa75-4ae6-8d28-b404dc7daf63')],
    ['bytes', NodeId.opaque(0, Buffer.alloc(64))],
  ])('is answered with BadServiceUnsupported and its handle: %s', async (_what, typeId) => {
    await withSession(async (session) => {
      const writer = new BinaryWriter();
      encodeNodeId(writer, typeId);
      RequestHeader.encode(writer, session.header({ requestHandle: 99 }));
      expect(await answerTo(session, writer.toBuffer())).toEqual(['BadServiceUnsupported', 99]);
    });
  });

  it('no encoding id of any type does more than that', async () => {
    await withSession(async (session) => {
      for (const { binaryEncodingId } of allStructureTypes()) {
        const writer = new BinaryWriter();
        encodeNodeId(writer, NodeId.numeric(0, binaryEncodingId));
        RequestHeader.encode(writer, RequestHeader.create({ requestHandle: 7 }));
        const [status, handle] = await answerTo(session, writer.toBuffer());
        expect(['BadServiceUnsupported', 'BadSessionIdInvalid', 'BadDecodingError']).toContain(status);
        expect(handle).toBe(7);
      }
    });
  });
});

describe('messages that come in pieces', () => {
  it('an aborted one is forgotten and the next one is answered', async () => {
    await withSession(async ({ peer }) => {
      const { channel } = peer;
      const requestId = channel.nextRequestId++;
      peer.send(channel.chunk('MSG', 'C', requestId, Buffer.alloc(5000)), channel.chunk('MSG', 'A', requestId, Buffer.alloc(8)));
    });
  });

  it('one that another message interrupts ends the connection', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await RawUacpPeer.connect({ port: hostile.port });
      await peer.hello();
      await peer.openNone();
      const { channel } = peer;
      peer.send(channel.chunk('MSG', 'C', 50, Buffer.alloc(5000)), channel.chunk('MSG', 'F', 51, Buffer.alloc(10)));
      expect(statusName((await peer.nextError()).error)).toBe('BadDecodingError');
      await peer.closed;
    });
  });
});

describe('an unsecured channel without a Session', () => {
  it('gets faults too, and the same channel can go on', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await RawUacpPeer.connect({ port: hostile.port });
      await peer.hello();
      await peer.openNone();
      const { channel } = peer;
      for (let i = 0; i < 20; i++) {
        const requestId = channel.nextRequestId++;
        peer.send(channel.chunk('MSG', 'F', requestId, Buffer.alloc(i * 10, 0xff)));
        expect(statusName((await peer.response(requestId)).header.serviceResult)).toBe('BadDecodingError');
      }
      const { header } = await peer.response(peer.sendRequest(GetEndpointsRequest, {}));
      expect(statusName(header.serviceResult)).toBe('Good');
      await peer.closeChannel();
    });
  });
});
