import type { IncomingRequest, RequestSink } from '@bulkhead/contracts';
import type { SecureChannelEndpoints } from '@bulkhead/secure-channel';
import { createEventLoopRuntime, RecordingOwners, RecordingProvider, trackLeaks } from '@bulkhead/testkit';
import { type ConnectionLimits, UacpConnectionFactory } from '@bulkhead/transport';
import { ExtensionObject, MessageSecurityMode, ReadRequest, ReadResponse, ServiceFault, StatusCodes } from '@bulkhead/types';
import { TcpListener, type TcpListenerOptions } from '../src/index.ts';

/** Only SecurityPolicy None. */
const noneEndpoints: SecureChannelEndpoints = {
  securityModes: (policy) => (policy.isSecure ? [] : [MessageSecurityMode.None]),
  identity: () => undefined,
  validateClientCertificate: () => Promise.resolve(),
};

/** Answers each Read with an empty ReadResponse, other requests with a ServiceFault. */
export class EchoSink implements RequestSink {
  /** Length of a string in each answer. */
  textLength = 0;

  submit(request: IncomingRequest): void {
    request.leftQueue();
    const header = {
      requestHandle: request.header.requestHandle,
      serviceResult: StatusCodes.Good,
      serviceDiagnostics: null,
      stringTable: this.textLength === 0 ? null : ['x'.repeat(this.textLength)],
      additionalHeader: ExtensionObject.NULL,
    };
    if (request.typeId === ReadRequest.binaryEncodingId)
      request.respond(ReadResponse as never, header, { results: null, diagnosticInfos: null }, 0);
    else request.respond(ServiceFault as never, { ...header, serviceResult: StatusCodes.BadServiceUnsupported }, {}, 0);
  }

  channelClosed(): void {}

  refuse(): void {}

  requestAbandoned(): void {}

  channelHeldBack(): void {}

  onTurnEnd(flush: () => void): void {
    setImmediate(flush);
  }
}

/** A listener with everything behind it but the dispatcher. */
export class EchoServer {
  readonly sink: EchoSink = new EchoSink();
  readonly provider: RecordingProvider = new RecordingProvider();
  readonly factory: UacpConnectionFactory;
  readonly listener: TcpListener;
  port = 0;
  readonly #expectNoLeaks: () => Promise<void> = trackLeaks({ provider: this.provider });

  constructor(
    limits: Partial<ConnectionLimits> = {},
    options: Partial<TcpListenerOptions> = {},
    endpoints: SecureChannelEndpoints = noneEndpoints,
  ) {
    const runtime = createEventLoopRuntime();
    const { provider, sink } = this;
    this.factory = new UacpConnectionFactory({ runtime, provider, owners: new RecordingOwners(provider), sink, endpoints, limits });
    this.listener = new TcpListener({ acceptor: this.factory, port: 0, hosts: ['127.0.0.1'], log: runtime.log, ...options });
  }

  async start(): Promise<void> {
    const [address] = await this.listener.listen();
    this.port = address?.port ?? 0;
  }

  /** Stops, and fails when anything is left behind. */
  async stop(): Promise<void> {
    this.listener.stopAccepting();
    await this.factory.close();
    await this.listener.close();
    await this.#expectNoLeaks();
  }
}
