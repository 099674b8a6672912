import { BrowseDescription, BrowseRequest, BrowseResponse, NodeId, ReadRequest, ReadResponse } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let test: TestServer;

beforeAll(async () => {
  test = await startTestServer((space) => {
    space.addVariable({ browseName: 'Text', nodeId: 's=Text', dataType: 'String', value: 'x'.repeat(200) });
  });
});

afterAll(() => test.end());

/** The same requests, and what they were answered, without what differs between two runs. */
async function answers(send: (session: RawSession, bytes: Buffer) => Promise<void>): Promise<unknown[]> {
  const session = await RawSession.open({ port: test.port });
  const { channel } = session.peer;
  const nodesToBrowse = [BrowseDescription.create({ nodeId: NodeId.parse('i=2253'), resultMask: 0x3f, includeSubtypes: true })];
  const ids: number[] = [];
  const chunks: Buffer[] = [];
  for (let i = 0; i < 10; i++) {
    ids.push(channel.nextRequestId);
    chunks.push(channel.request(ReadRequest, { ...readOf(['ns=1;s=Text', 'i=2255', 'ns=1;s=Missing']), requestHeader: session.header() }));
    ids.push(channel.nextRequestId);
    chunks.push(channel.request(BrowseRequest, { nodesToBrowse, requestHeader: session.header() }));
  }
  await send(session, Buffer.concat(chunks));
  const results: unknown[] = [];
  for (const id of ids) {
    const response = await session.peer.response(id);
    const isRead = response.typeId === ReadResponse.binaryEncodingId;
    results.push(
      isRead
        ? response.decode(ReadResponse).results?.map(({ value, statusCode }) => [value, statusCode])
        : response.decode(BrowseResponse).results,
    );
  }
  await session.close();
  return results;
}

describe('requests in any segmentation', () => {
  it('are answered alike one byte at a time and all in one segment', async () => {
    const inOne = await answers(async (session, bytes) => session.peer.send(bytes));
    const byteByByte = await answers((session, bytes) => session.peer.sendByteByByte(bytes));
    expect(inOne).toHaveLength(20);
    expect(byteByByte).toEqual(inOne);
  });
});
