import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { acceptAcknowledge, acknowledgeOf, type Hello, helloOf, NO_LIMIT, negotiate, type UacpLimits } from '@bulkhead/uacp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const server: UacpLimits = { receiveBufferSize: 65_536, sendBufferSize: 32_768, maxMessageSize: 4_194_304, maxChunkCount: 64 };
const hello: Hello = {
  protocolVersion: 0,
  receiveBufferSize: 65_536,
  sendBufferSize: 65_536,
  maxMessageSize: 0,
  maxChunkCount: 0,
  endpointUrl: 'opc.tcp://localhost',
};

function codeOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
  return StatusCodes.Good;
}

describe('negotiation', () => {
  it('gives the smaller buffer of both sides in each direction', () => {
    const limits = negotiate({ ...hello, sendBufferSize: 10_000 }, server);
    expect(limits.receiveBufferSize).toBe(10_000);
    expect(limits.sendBufferSize).toBe(32_768);
  });

  it('takes buffers of 8,192 bytes and refuses 8,191', () => {
    expect(negotiate({ ...hello, receiveBufferSize: 8192, sendBufferSize: 8192 }, server).sendBufferSize).toBe(8192);
    expect(codeOf(() => negotiate({ ...hello, receiveBufferSize: 8191 }, server))).toBe(StatusCodes.BadConnectionRejected);
    expect(codeOf(() => negotiate({ ...hello, sendBufferSize: 8191 }, server))).toBe(StatusCodes.BadConnectionRejected);
    expect(codeOf(() => negotiate({ ...hello, sendBufferSize: 0 }, server))).toBe(StatusCodes.BadConnectionRejected);
  });

  it('never revises anything above what the Hello asked for, and the client accepts every Acknowledge', () => {
    const size = fc.integer({ min: 8192, max: 0xffffffff });
    const count = fc.nat(0xffffffff);
    fc.assert(
      fc.property(size, size, size, size, count, count, (clientReceive, clientSend, serverReceive, serverSend, messages, chunks) => {
        const asked = { ...hello, receiveBufferSize: clientReceive, sendBufferSize: clientSend };
        const own = {
          receiveBufferSize: serverReceive,
          sendBufferSize: serverSend,
          maxMessageSize: messages + 1,
          maxChunkCount: chunks + 1,
        };
        const acknowledge = acknowledgeOf(negotiate(asked, own));
        expect(acknowledge.receiveBufferSize).toBeLessThanOrEqual(clientSend);
        expect(acknowledge.sendBufferSize).toBeLessThanOrEqual(clientReceive);
        expect(Math.min(acknowledge.receiveBufferSize, acknowledge.sendBufferSize)).toBeGreaterThanOrEqual(8192);
        const limits = acceptAcknowledge(asked, acknowledge, server);
        expect(limits.sendBufferSize).toBe(acknowledge.receiveBufferSize);
        expect(limits.receiveBufferSize).toBe(acknowledge.sendBufferSize);
      }),
    );
  });

  it('takes 0 as no limit of the peer, and keeps its own limits finite', () => {
    const limits = negotiate(hello, server);
    expect(limits.maxSendMessageBytes).toBe(NO_LIMIT);
    expect(limits.maxSendChunks).toBe(NO_LIMIT);
    expect(limits.maxReceiveMessageBytes).toBe(4_194_304);
    expect(limits.maxReceiveChunks).toBe(64);
    const bounded = negotiate({ ...hello, maxMessageSize: 1000, maxChunkCount: 2 }, server);
    expect(bounded.maxSendMessageBytes).toBe(1000);
    expect(bounded.maxSendChunks).toBe(2);
  });

  it('answers every protocol version with 0', () => {
    const limits = negotiate({ ...hello, protocolVersion: 7 }, server);
    expect(acknowledgeOf(limits).protocolVersion).toBe(0);
    expect(limits.helloProtocolVersion).toBe(7);
  });

  it('client refuses an Acknowledge that goes beyond its Hello', () => {
    const own = helloOf(server, 'opc.tcp://localhost');
    const good = { protocolVersion: 0, receiveBufferSize: 8192, sendBufferSize: 8192, maxMessageSize: 0, maxChunkCount: 0 };
    expect(codeOf(() => acceptAcknowledge(own, good, server))).toBe(StatusCodes.Good);
    for (const bad of [
      { ...good, protocolVersion: 1 },
      { ...good, receiveBufferSize: 32_769 },
      { ...good, sendBufferSize: 65_537 },
      { ...good, receiveBufferSize: 8191 },
      { ...good, sendBufferSize: 8191 },
    ]) {
      expect(codeOf(() => acceptAcknowledge(own, bad, server))).toBe(StatusCodes.BadCommunicationError);
    }
  });
});
