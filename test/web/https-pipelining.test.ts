import { connect } from 'node:tls';
import { BinaryWriter, encodeNodeId, NodeId, ReadRequest, ReadResponse, RequestHeader } from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { decodeAnswer, HttpsPeer } from './https-peer.ts';

const REQUESTS = 300;
const NODES = 1000;
/** Sent before the first is answered. */
const DEPTH = 4;
const HEAD_END = '\r\n\r\n';

let test: TestServer;

afterEach(() => test.end());

/** The body of a Read of so many values. */
function readBody(authenticationToken: NodeId): Buffer {
  const writer = new BinaryWriter();
  encodeNodeId(writer, NodeId.numeric(0, ReadRequest.binaryEncodingId));
  const requestHeader = RequestHeader.create({ authenticationToken, requestHandle: 1 });
  ReadRequest.encode(writer, ReadRequest.create({ ...readOf(new Array(NODES).fill('ns=1;s=Speed')), requestHeader }));
  return Buffer.from(writer.toBuffer());
}

describe('a connection of HTTPS', () => {
  it('is kept though requests come while large answers are on their way', async () => {
    test = await startTestServer(
      (space) => {
        space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 21.5 });
      },
      { https: {}, webPort: { port: 0 } },
    );
    const peer = await HttpsPeer.withSession(test);
    const body = readBody(peer.authenticationToken);
    const request = Buffer.concat([
      Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${body.length}${HEAD_END}`),
      body,
    ]);
    const port = Number(new URL(test.server.endpointUrls.find((url) => url.startsWith('opc.https:')) ?? '').port);
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    let input = Buffer.alloc(0);
    let answered = 0;
    const takeAnswer = (): Buffer | undefined => {
      const end = input.indexOf(HEAD_END);
      const length = Number(/content-length: (\d+)/iu.exec(input.toString('latin1', 0, end))?.[1]);
      const start = end + HEAD_END.length;
      if (end < 0 || input.length < start + length) return undefined;
      const answer = input.subarray(start, start + length);
      input = input.subarray(start + length);
      return answer;
    };
    await new Promise<void>((resolve) => {
      socket.on('error', () => {});
      socket.on('secureConnect', () => socket.write(Buffer.concat(new Array(DEPTH).fill(request))));
      socket.on('close', () => resolve());
      socket.on('data', (bytes) => {
        input = Buffer.concat([input, bytes]);
        for (let answer = takeAnswer(); answer !== undefined; answer = takeAnswer()) {
          if (answered === 0)
            expect(decodeAnswer(ReadResponse, { statusCode: 200, headers: {}, body: answer }).results).toHaveLength(NODES);
          if (++answered === REQUESTS) socket.end();
          else if (answered <= REQUESTS - DEPTH) socket.write(request);
        }
      });
    });
    expect(answered).toBe(REQUESTS);
    await peer.closeSession();
    peer.close();
  });
});
