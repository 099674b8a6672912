import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';

/** MessageType, reserved, MessageSize. */
const CHUNK_HEADER_BYTES = 8;
const HEAD_END = '\r\n\r\n';
const BINARY_FRAME = 0x82;
const CLOSE_FRAME = 0x88;
const MASKED = 0x80;
const SHORT = 126;
const LONG = 127;

export interface WssAddress {
  readonly host: string;
  readonly port: number;
  readonly localAddress: string | undefined;
}

/**
 * Bytes over a WebSocket of subprotocol opcua+uacp, in the form of a socket: what is written has to be whole MessageChunks, each of
 * which goes out in a frame of its own. Does as little as a client can: frames are masked with 0, and control frames are ignored.
 */
export class WssStream extends Duplex {
  readonly #tls: TLSSocket;
  /** Bytes that came and are not used up. */
  #input: Buffer = Buffer.alloc(0);
  #isUpgraded = false;
  #onUpgraded: (() => void) | undefined;

  /** Emits 'connect' once it is a WebSocket; what is written before waits. */
  constructor({ host, port, localAddress }: WssAddress) {
    super();
    const from = localAddress === undefined ? {} : { localAddress };
    this.#tls = connect({ host, port, rejectUnauthorized: false, ...from });
    this.#tls.setNoDelay(true);
    this.#tls.on('data', (bytes: Buffer) => this.#onBytes(bytes));
    this.#tls.on('error', (error) => this.destroy(error));
    this.#tls.on('close', () => this.destroy());
    this.#tls.write(
      `GET / HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Protocol: opcua+uacp\r\n\r\n`,
    );
  }

  override _read(): void {
    this.#tls.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send([bytes], done);
  }

  override _writev(parts: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(
      parts.map(({ chunk }) => chunk),
      done,
    );
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

  #send(buffers: readonly Buffer[], done: (error?: Error | null) => void): void {
    if (!this.#isUpgraded) {
      this.#onUpgraded = () => this.#send(buffers, done);
      return;
    }
    this.#tls.cork();
    for (const part of framed(buffers)) this.#tls.write(part);
    this.#tls.write(NOTHING, done);
    this.#tls.uncork();
  }

  #onBytes(bytes: Buffer): void {
    this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes]);
    if (!this.#isUpgraded && !this.#readHead()) return;
    for (;;) {
      const payload = this.#nextPayload();
      if (payload === undefined) return;
      if (payload.length > 0 && !this.push(payload)) this.#tls.pause();
    }
  }

  #readHead(): boolean {
    const end = this.#input.indexOf(HEAD_END, 0, 'latin1');
    if (end < 0) return false;
    const head = this.#input.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 101')) {
      this.destroy(new Error(head.slice(0, head.indexOf('\r'))));
      return false;
    }
    this.#input = this.#input.subarray(end + HEAD_END.length);
    this.#isUpgraded = true;
    this.emit('connect');
    this.#onUpgraded?.();
    return true;
  }

  /** @returns what the next whole frame carries; nothing of a control frame. */
  #nextPayload(): Buffer | undefined {
    const input = this.#input;
    if (input.length < 2) return undefined;
    const short = input[1] as number;
    const headBytes = short === LONG ? 10 : short === SHORT ? 4 : 2;
    if (input.length < headBytes) return undefined;
    const bytes = short === LONG ? Number(input.readBigUInt64BE(2)) : short === SHORT ? input.readUInt16BE(2) : short;
    const end = headBytes + bytes;
    if (input.length < end) return undefined;
    this.#input = input.subarray(end);
    if (input[0] === CLOSE_FRAME) this.end();
    return input[0] === BINARY_FRAME ? input.subarray(headBytes, end) : NOTHING;
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Puts a frame's head before each MessageChunk. @param buffers whole chunks, each in one or more pieces. */
function framed(buffers: readonly Buffer[]): Buffer[] {
  const out: Buffer[] = [];
  let left = 0;
  for (let buffer of buffers) {
    while (buffer.length > 0) {
      if (left === 0) {
        left = buffer.readUInt32LE(CHUNK_HEADER_BYTES - 4);
        out.push(frameHead(left));
      }
      const piece = buffer.subarray(0, left);
      out.push(piece);
      left -= piece.length;
      buffer = buffer.subarray(piece.length);
    }
  }
  return out;
}

/** Masked with 0, so that the payload stays as it is. RFC 6455 §5.2. */
function frameHead(bytes: number): Buffer {
  const isShort = bytes < SHORT;
  const head = Buffer.alloc(isShort ? 6 : 8);
  head[0] = BINARY_FRAME;
  head[1] = MASKED | (isShort ? bytes : SHORT);
  if (!isShort) head.writeUInt16BE(bytes, 2);
  return head;
}
