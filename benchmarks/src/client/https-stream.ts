import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { DateTime, encodeNodeId, NodeId, OpenSecureChannelResponse } from '@bulkhead/types';
import { BUFFER_BYTES, endMessage, startMessage } from './handshake.ts';
import { HEADER_BYTES } from './plain-channel.ts';
import type { WssAddress } from './wss-stream.ts';

const HEAD_END = '\r\n\r\n';
const FINAL = 0x46;
const MAX_BODY_BYTES = BUFFER_BYTES - HEADER_BYTES;
const TOKEN_LIFETIME_MS = 3_600_000;

/** A request on its way. */
interface Posted {
  readonly requestId: number;
  readonly body: Buffer;
}

/**
 * OPC UA over HTTPS in the form of a socket that carries unsecured MessageChunks: Hello and OpenSecureChannel are answered here, as HTTPS has
 * neither, each message is posted without its chunks' headers, and its response comes back as chunks. One connection with one request on its
 * way: what is sent meanwhile waits, as few servers like requests in a pipeline.
 */
export class HttpsStream extends Duplex {
  readonly #tls: TLSSocket;
  readonly #head: string;
  #input: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #waiting: Posted[] = [];
  /** RequestId of the one that is not answered yet. */
  #inFlight: number | undefined;

  constructor({ host, port, localAddress }: WssAddress) {
    super();
    const from = localAddress === undefined ? {} : { localAddress };
    this.#head = `POST / HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/octet-stream\r\nContent-Length: `;
    this.#tls = connect({ host, port, rejectUnauthorized: false, ...from });
    this.#tls.setNoDelay(true);
    this.#tls.on('secureConnect', () => this.emit('connect'));
    this.#tls.on('data', (bytes: Buffer) => this.#onBytes(bytes));
    this.#tls.on('error', (error) => this.destroy(error));
    this.#tls.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#tls.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#take(bytes);
    done();
  }

  override _writev(parts: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#take(Buffer.concat(parts.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: () => void): void {
    this.#tls.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#tls.destroy();
    done(error);
  }

  /** As sockets have it: closes once everything is written. */
  destroySoon(): void {
    this.end();
  }

  /** @param bytes whole chunks. */
  #take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const end = at + bytes.readUInt32LE(at + 4);
      this.#takeChunk(bytes.subarray(at, end));
      at = end;
    }
    this.#post();
  }

  #takeChunk(chunk: Buffer): void {
    const type = chunk.toString('latin1', 0, 3);
    if (type === 'HEL') this.#answerHere(acknowledge());
    else if (type === 'OPN') this.#answerHere(openResponse());
    else if (type === 'CLO') this.end();
    else {
      this.#parts.push(Buffer.from(chunk.subarray(HEADER_BYTES)));
      if (chunk[3] !== FINAL) return;
      this.#waiting.push({ requestId: chunk.readUInt32LE(20), body: Buffer.concat(this.#parts) });
      this.#parts = [];
    }
  }

  /** Later, as from a socket. */
  #answerHere(chunk: Buffer): void {
    setImmediate(() => {
      if (!this.destroyed) this.push(chunk);
    });
  }

  #post(): void {
    if (this.#inFlight !== undefined || this.#tls.destroyed) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#inFlight = next.requestId;
    this.#tls.cork();
    this.#tls.write(`${this.#head}${next.body.length}${HEAD_END}`, 'latin1');
    this.#tls.write(next.body);
    this.#tls.uncork();
  }

  #onBytes(bytes: Buffer): void {
    this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes]);
    while (this.#readAnswer());
    this.#post();
  }

  #readAnswer(): boolean {
    const end = this.#input.indexOf(HEAD_END, 0, 'latin1');
    if (end < 0) return false;
    const head = this.#input.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200')) {
      this.destroy(new Error(head.slice(0, head.indexOf('\r'))));
      return false;
    }
    const start = end + HEAD_END.length;
    const length = Number(/\r\ncontent-length: *(\d+)/iu.exec(head)?.[1]);
    if (this.#input.length < start + length) return false;
    const requestId = this.#inFlight ?? 0;
    this.#inFlight = undefined;
    if (!this.push(chunksOf(this.#input.subarray(start, start + length), requestId))) this.#tls.pause();
    this.#input = this.#input.subarray(start + length);
    return true;
  }
}

/** A message as chunks; what a channel without security doesn't look at is 0. */
function chunksOf(message: Buffer, requestId: number): Buffer {
  const count = Math.max(1, Math.ceil(message.length / MAX_BODY_BYTES));
  const chunks = Buffer.alloc(message.length + count * HEADER_BYTES);
  for (let index = 0, at = 0; index < count; index++) {
    const part = message.subarray(index * MAX_BODY_BYTES, (index + 1) * MAX_BODY_BYTES);
    chunks.write(index === count - 1 ? 'MSGF' : 'MSGC', at, 'latin1');
    chunks.writeUInt32LE(HEADER_BYTES + part.length, at + 4);
    chunks.writeUInt32LE(requestId, at + 20);
    part.copy(chunks, at + HEADER_BYTES);
    at += HEADER_BYTES + part.length;
  }
  return chunks;
}

function acknowledge(): Buffer {
  const writer = startMessage('ACK');
  for (const value of [0, BUFFER_BYTES, BUFFER_BYTES, 0, 0]) writer.writeUInt32(value);
  return endMessage(writer);
}

function openResponse(): Buffer {
  const writer = startMessage('OPN');
  writer.writeUInt32(1);
  writer.writeString('http://opcfoundation.org/UA/SecurityPolicy#None');
  writer.writeByteString(null);
  writer.writeByteString(null);
  writer.writeUInt32(1);
  writer.writeUInt32(1);
  encodeNodeId(writer, NodeId.numeric(0, OpenSecureChannelResponse.binaryEncodingId));
  const securityToken = { channelId: 1, tokenId: 1, createdAt: DateTime.MIN, revisedLifetime: TOKEN_LIFETIME_MS };
  OpenSecureChannelResponse.encode(writer, OpenSecureChannelResponse.create({ securityToken }));
  return endMessage(writer);
}
