import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Clock, RandomSource } from '@bulkhead/contracts';
import { type Lease, type Owner, type Refusal, Stage } from '@bulkhead/resource-isolation';
import {
  type ChannelIdentity,
  type ClientChannelEvent,
  ClientSecureChannel,
  type ClientSecureChannelOptions,
  type ReassemblyAdmission,
  type SecureChannelEndpoints,
  type ServerChannelEvent,
  ServerSecureChannel,
  type ServerSecureChannelOptions,
} from '@bulkhead/secure-channel';
import { Certificate, createApplicationCertificate, LocalPrivateKey, SecurityPolicies, type SecurityPolicy } from '@bulkhead/security';
import { type BinaryWriter, DateTime, MessageSecurityMode, StatusCodes, UaStatusError } from '@bulkhead/types';
import { type NegotiatedLimits, NO_LIMIT } from '@bulkhead/uacp';

/** A clock that only moves when told. */
export class TestClock implements Clock {
  now = 1000;
  nowMs(): number {
    return this.now;
  }
  utcNow(): DateTime {
    return DateTime.fromUnixMs(1_750_000_000_000 + this.now);
  }
}

/** Reproducible bytes, never twice the same. */
export class TestRandom implements RandomSource {
  #count = 0;
  readonly #seed: string;
  constructor(seed: string) {
    this.#seed = seed;
  }
  bytes(byteCount: number): Buffer {
    const blocks: Buffer[] = [];
    for (let size = 0; size < byteCount; size += 32) {
      blocks.push(
        createHash('sha256')
          .update(`${this.#seed}${this.#count++}`)
          .digest(),
      );
    }
    return Buffer.concat(blocks).subarray(0, byteCount);
  }
}

/** Grants up to a capacity and knows what is in use. */
export class TestAdmission implements ReassemblyAdmission {
  used = 0;
  peak = 0;
  capacity: number = Number.POSITIVE_INFINITY;
  /** Whom the next Message is charged to. */
  nextOwner = 'anybody';
  /** Who was charged, once per block. */
  readonly charged: string[] = [];
  ownerOfMessage(): Owner {
    return { key: this.nextOwner, ownerClass: 'Shared', weight: 1 };
  }
  tryReserve(owner: Owner, bytes: number): Lease | Refusal {
    this.charged.push(owner.key);
    if (this.used + bytes > this.capacity) {
      return { kind: 'refusal', id: 1, stage: Stage.ReassemblyBytes, reason: 'Capacity', usage: this.used, limit: this.capacity };
    }
    this.used += bytes;
    this.peak = Math.max(this.peak, this.used);
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.used -= bytes;
      isHeld = false;
    };
    return { kind: 'lease', stage: Stage.ReassemblyBytes, amount: bytes, [Symbol.dispose]: release };
  }
}

export async function makeIdentity(name: string, keySizeBits = 2048): Promise<ChannelIdentity> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: keySizeBits });
  const der = await createApplicationCertificate(privateKey, publicKey, {
    applicationUri: `urn:test:${name}`,
    applicationName: name,
    hostNames: ['localhost'],
    notBeforeMs: Date.UTC(2025, 0, 1),
  });
  return { certificate: Certificate.parse(der), certificateChain: der, privateKey: new LocalPrivateKey(privateKey) };
}

export const securePolicies: readonly SecurityPolicy[] = [
  SecurityPolicies.Basic256Sha256,
  SecurityPolicies.Aes128_Sha256_RsaOaep,
  SecurityPolicies.Aes256_Sha256_RsaPss,
];
export const secureModes: readonly MessageSecurityMode[] = [MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt];

export const defaultLimits: NegotiatedLimits = {
  protocolVersion: 0,
  helloProtocolVersion: 0,
  receiveBufferSize: 8192,
  sendBufferSize: 8192,
  maxReceiveMessageBytes: 100_000,
  maxReceiveChunks: 20,
  maxSendMessageBytes: NO_LIMIT,
  maxSendChunks: NO_LIMIT,
};

export interface PairOptions {
  readonly policy?: SecurityPolicy;
  readonly mode?: MessageSecurityMode;
  readonly clientIdentity?: ChannelIdentity | undefined;
  readonly serverIdentity?: ChannelIdentity | undefined;
  readonly endpoints?: Partial<SecureChannelEndpoints>;
  readonly server?: Partial<ServerSecureChannelOptions>;
  readonly client?: Partial<ClientSecureChannelOptions>;
}

/** A client and a server channel, and the chunks between them. */
export class ChannelPair {
  readonly clock: TestClock = new TestClock();
  readonly admission: TestAdmission = new TestAdmission();
  readonly server: ServerSecureChannel;
  readonly client: ClientSecureChannel;

  constructor(options: PairOptions = {}) {
    const policy = options.policy ?? SecurityPolicies.None;
    const mode = options.mode ?? MessageSecurityMode.None;
    this.server = new ServerSecureChannel({
      channelId: 77,
      limits: defaultLimits,
      endpoints: {
        securityModes: (asked) => (asked.isSecure ? secureModes : [MessageSecurityMode.None]),
        identity: (asked) => (asked.isSecure ? options.serverIdentity : undefined),
        validateClientCertificate: () => Promise.resolve(),
        ...options.endpoints,
      },
      remote: { address: '127.0.0.1', port: 50_000 },
      transportProfileUri: 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary',
      endpointUrl: 'opc.tcp://localhost:4840',
      clock: this.clock,
      random: new TestRandom('server'),
      reassembly: this.admission,
      minTokenLifetimeMs: 1000,
      maxTokenLifetimeMs: 3_600_000,
      ...options.server,
    });
    this.client = new ClientSecureChannel({
      limits: defaultLimits,
      policy,
      mode,
      identity: options.clientIdentity,
      serverCertificate: options.serverIdentity?.certificate,
      requestedLifetimeMs: 10_000,
      clock: this.clock,
      random: new TestRandom('client'),
      ...options.client,
    });
  }

  /** Opens, or renews, both ends. @returns the chunks of the response that are not OPN. */
  async open(requestId = 1): Promise<Buffer[]> {
    const opened = await this.openServer(requestId);
    if (opened.kind !== 'opened') throw new Error('not opened');
    await this.toClient(opened.chunks.slice(0, 1));
    return opened.chunks.slice(1);
  }

  async openServer(requestId = 1): Promise<ServerChannelEvent> {
    const chunks = this.client.isOpen ? await this.client.renew(requestId) : await this.client.open(requestId);
    const events = await this.toServer(chunks);
    return events.at(-1) as ServerChannelEvent;
  }

  async toServer(chunks: readonly Buffer[]): Promise<ServerChannelEvent[]> {
    const events: ServerChannelEvent[] = [];
    for (const chunk of chunks) events.push(await this.server.receive(Buffer.from(chunk), this.clock.now));
    return events;
  }

  async toClient(chunks: readonly Buffer[]): Promise<ClientChannelEvent[]> {
    const events: ClientChannelEvent[] = [];
    for (const chunk of chunks) events.push(await this.client.receive(Buffer.from(chunk), this.clock.now));
    return events;
  }

  request(requestId: number, body: Uint8Array): Buffer[] {
    return this.client.encodeMessage(requestId, writing(body), NO_LIMIT);
  }

  respond(requestId: number, body: Uint8Array, maxBytes: number = NO_LIMIT): Buffer[] {
    return this.server.encodeMessage(requestId, writing(body), maxBytes);
  }

  /** Sends a request and its echo and checks both. */
  async exchange(requestId: number, body: Buffer): Promise<Buffer> {
    const received = (await this.toServer(this.request(requestId, body))).at(-1);
    if (received?.kind !== 'message' || received.requestId !== requestId) throw new Error(`server got ${received?.kind}`);
    const answered = (await this.toClient(this.respond(requestId, received.message))).at(-1);
    if (answered?.kind !== 'message' || answered.requestId !== requestId) throw new Error(`client got ${answered?.kind}`);
    return answered.message;
  }
}

export function writing(body: Uint8Array): (writer: BinaryWriter) => void {
  return (writer) => writer.writeBytes(body);
}

/** StatusCode of what is thrown or rejected; Good when nothing is. */
export async function codeOf(run: () => unknown): Promise<number> {
  try {
    await run();
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
  return StatusCodes.Good;
}

/** Bytes of a pattern that shows when parts are swapped. */
export function pattern(byteCount: number): Buffer {
  return Buffer.from(Array.from({ length: byteCount }, (_, i) => (i * 31 + (i >>> 8)) & 0xff));
}
