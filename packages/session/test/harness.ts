import { generateKeyPairSync } from 'node:crypto';
import type { EstablishingService, Runtime, SecureChannelContext, Timer, UserIdentity } from '@bulkhead/contracts';
import { SharedResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import {
  Certificate,
  createApplicationCertificate,
  encryptUserSecret,
  LocalPrivateKey,
  SecurityPolicies,
  type SecurityPolicy,
  signatureInput,
  signData,
} from '@bulkhead/security';
import {
  ActivateSessionRequest,
  AnonymousIdentityToken,
  type ApplicationDescription,
  CreateSessionRequest,
  type CreateSessionResponse,
  createApplicationDescription,
  createEndpointDescription,
  createRequestHeader,
  DateTime,
  ExtensionObject,
  MessageSecurityMode,
  NodeId,
  type RequestHeader,
  type StatusCode,
  UaStatusError,
  UserNameIdentityToken,
  UserTokenType,
} from '@bulkhead/types';
import { expect } from 'vitest';
import { SessionManager, type SessionManagerOptions, type UserValidator } from '../src/index.ts';

/** A clock and timers that only the test moves, and repeatable randomness. */
export class TestRuntime implements Runtime {
  nowMs = 1_000;
  readonly logged: string[] = [];
  #seed = 1;
  readonly #timers: Set<{ dueMs: number; run: () => void }> = new Set();
  readonly clock = { nowMs: () => this.nowMs, utcNow: () => DateTime.fromUnixMs(1_700_000_000_000 + this.nowMs) };
  readonly timers = {
    after: (delayMs: number, run: () => void): Timer => {
      const timer = { dueMs: this.nowMs + delayMs, run };
      this.#timers.add(timer);
      return { cancel: () => this.#timers.delete(timer) };
    },
  };
  readonly turns = { defer: () => {} };
  readonly random = {
    bytes: (byteCount: number) =>
      Buffer.from(Array.from({ length: byteCount }, () => (this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24)),
  };
  readonly log = { isEnabled: () => true, log: (_level: string, event: string) => void this.logged.push(event) };

  get pendingTimers(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.run();
    }
    this.nowMs = endMs;
  }
}

export interface Application {
  readonly uri: string;
  readonly der: Buffer;
  readonly certificate: Certificate;
  readonly privateKey: LocalPrivateKey;
}

export async function makeApplication(name: string): Promise<Application> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const uri = `urn:test:${name}`;
  const der = await createApplicationCertificate(keys.privateKey, keys.publicKey, {
    applicationUri: uri,
    applicationName: name,
    hostNames: ['localhost'],
    notBeforeMs: 1_600_000_000_000,
  });
  return { uri, der, certificate: Certificate.parse(der), privateKey: new LocalPrivateKey(keys.privateKey) };
}

export class TestChannel implements SecureChannelContext {
  static #nextId = 1;
  readonly channelId: number = TestChannel.#nextId++;
  readonly transportProfileUri = 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary';
  readonly endpointUrl = 'opc.tcp://localhost:4840';
  readonly remote: { address: string; port: number };
  readonly securityPolicyUri: string;
  readonly securityMode: MessageSecurityMode;
  readonly clientCertificate: Buffer | undefined;
  readonly serverCertificate: Buffer | undefined;
  isOpen = true;

  constructor(policy: SecurityPolicy, client?: Application, mode?: MessageSecurityMode, address = '10.0.0.1') {
    this.securityPolicyUri = policy.uri;
    this.securityMode = mode ?? (policy.isSecure ? MessageSecurityMode.SignAndEncrypt : MessageSecurityMode.None);
    this.clientCertificate = policy.isSecure ? client?.der : undefined;
    this.serverCertificate = undefined;
    this.remote = { address, port: 1 };
  }
}

export function user(name: string): UserIdentity {
  return { kind: UserTokenType.UserName, name, roles: [] };
}

/** Knows ann/secret and bob/hidden. */
export const validateUser: UserValidator = (name, password) => {
  const passwords: Record<string, string> = { ann: 'secret', bob: 'hidden' };
  return passwords[name] === password.toString() ? user(name) : undefined;
};

export const USER_TOKENS = [
  { policyId: 'anonymous', tokenType: UserTokenType.Anonymous, issuedTokenType: null, issuerEndpointUrl: null, securityPolicyUri: null },
  { policyId: 'username', tokenType: UserTokenType.UserName, issuedTokenType: null, issuerEndpointUrl: null, securityPolicyUri: null },
];

/** What a client remembers of its Session. */
export interface ClientSession {
  readonly response: Omit<CreateSessionResponse, 'responseHeader'>;
  readonly policy: SecurityPolicy;
  readonly client: Application | undefined;
  serverNonce: Buffer;
}

export class Harness {
  readonly runtime: TestRuntime = new TestRuntime();
  readonly provider: SharedResourceIsolationProvider;
  readonly manager: SessionManager;
  readonly closed: string[] = [];
  readonly bound: string[] = [];
  readonly server: Application | undefined;

  constructor(server: Application | undefined, options: Partial<SessionManagerOptions> & { establishment?: number } = {}) {
    this.server = server;
    this.provider = new SharedResourceIsolationProvider({
      totals: {
        Connection: 100,
        Handshake: 100,
        ReassemblyBytes: 100,
        RequestQueue: 100,
        RequestQueueBytes: 100,
        ParkedRequest: 100,
        RequestExecution: 100,
        SessionEstablishment: options.establishment ?? 10,
      },
    });
    this.manager = new SessionManager({
      runtime: this.runtime,
      provider: this.provider,
      owners: { ownerOf: (channel) => this.provider.classifyIngress(channel.remote.address), channelClosed: () => {} },
      endpoints: {
        describe: (channel, endpointUrl) => [
          createEndpointDescription({
            endpointUrl,
            securityPolicyUri: channel.securityPolicyUri,
            securityMode: channel.securityMode,
            userIdentityTokens: USER_TOKENS,
          }),
        ],
        credentials: () => (server === undefined ? undefined : { certificateChain: server.der, privateKey: server.privateKey }),
      },
      userValidator: validateUser,
      ...options,
    });
    this.manager.onClosed(
      (session, deleteSubscriptions, reason) => void this.closed.push(`${session.sessionName} ${reason} ${deleteSubscriptions}`),
    );
    this.manager.onBound(
      (session, channel, previous) =>
        void this.bound.push(`${session.sessionName} ${previous === undefined ? 'first' : 'moved'} ${channel.isOpen}`),
    );
  }

  get establishing(): number {
    return this.provider.getUsage(Stage.SessionEstablishment);
  }

  createRequest(client: Application | undefined, fields: Partial<CreateSessionRequest> = {}): CreateSessionRequest {
    const clientDescription: ApplicationDescription = createApplicationDescription({ applicationUri: client?.uri ?? 'urn:test:anyone' });
    return CreateSessionRequest.create({
      clientDescription,
      endpointUrl: 'opc.tcp://localhost:4840',
      clientNonce: Buffer.alloc(32, 5),
      clientCertificate: client?.der ?? null,
      requestedSessionTimeout: 60_000,
      ...fields,
    });
  }

  async create(channel: TestChannel, client?: Application, fields: Partial<CreateSessionRequest> = {}): Promise<ClientSession> {
    const request = this.createRequest(client, fields);
    const response = await this.#placed('CreateSession', channel, request, () => this.manager.createSession(request, channel));
    const policy = Object.values(SecurityPolicies).find(({ uri }) => uri === channel.securityPolicyUri) as SecurityPolicy;
    return { response, policy, client, serverNonce: response.serverNonce as Buffer };
  }

  async activateRequest(session: ClientSession, fields: Partial<ActivateSessionRequest> = {}): Promise<ActivateSessionRequest> {
    const { policy, client, serverNonce } = session;
    const clientSignature =
      client !== undefined && policy.isSecure && this.server !== undefined
        ? await signData(policy, client.privateKey, signatureInput(this.server.der, serverNonce))
        : { algorithm: null, signature: null };
    return ActivateSessionRequest.create({
      requestHeader: createRequestHeader({ authenticationToken: session.response.authenticationToken }),
      clientSignature,
      ...fields,
    });
  }

  async activate(session: ClientSession, channel: TestChannel, fields: Partial<ActivateSessionRequest> = {}): Promise<void> {
    const request = await this.activateRequest(session, fields);
    const response = await this.#placed('ActivateSession', channel, request, () => this.manager.activateSession(request, channel));
    session.serverNonce = response.serverNonce as Buffer;
  }

  /** Runs a service as the dispatcher does: with a place of the gate. @throws Refusal. */
  async #placed<T>(
    service: EstablishingService,
    channel: TestChannel,
    { requestHeader }: { readonly requestHeader: RequestHeader },
    run: () => Promise<T>,
  ): Promise<T> {
    const { gate } = this.manager;
    const place = gate.enter(gate.ownerOf(service, channel, requestHeader));
    if (place.kind === 'refusal') throw place;
    try {
      return await run();
    } finally {
      place[Symbol.dispose]();
    }
  }

  resolve(session: ClientSession, channel: TestChannel, needsActivation = true): ReturnType<SessionManager['resolve']> {
    return this.manager.resolve(session.response.authenticationToken, channel, needsActivation, this.runtime.nowMs);
  }

  /** A user name token, its password encrypted as the Session's policy says. */
  passwordToken(session: ClientSession, userName: string, password: string): ExtensionObject {
    const encrypted = encryptUserSecret(session.policy, this.server?.certificate, Buffer.from(password), session.serverNonce);
    return ExtensionObject.of(UserNameIdentityToken, {
      policyId: 'username',
      userName,
      password: encrypted.secret,
      encryptionAlgorithm: encrypted.encryptionAlgorithm,
    });
  }
}

export const ANONYMOUS_TOKEN: ExtensionObject = ExtensionObject.of(AnonymousIdentityToken, { policyId: 'anonymous' });
export const UNKNOWN_TOKEN: NodeId = NodeId.opaque(0, Buffer.alloc(32, 1));

export async function expectCode(promise: Promise<unknown>, code: StatusCode): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UaStatusError);
  expect((error as UaStatusError).statusCode.toString(16)).toBe(code.toString(16));
}
