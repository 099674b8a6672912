import type { CallerOwners, RemoteAddress, RequestSink, Runtime } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { ReassemblyAdmission } from '@bulkhead/secure-channel';
import type { BlockPool, NegotiatedLimits } from '@bulkhead/uacp';
import type { ConnectionAdmission } from './connection-admission.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import type { ReadTurns } from './read-turns.ts';
import type { RequestHeadDecoder } from './request-head.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { ServerChannel } from './server-channel.ts';
import type { TransportDiagnostics } from './transport-diagnostics.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** What all connections of a server share. */
export interface ConnectionEnvironment {
  readonly runtime: Runtime;
  readonly sink: RequestSink;
  readonly provider: ResourceIsolationProvider;
  readonly owners: CallerOwners;
  readonly limits: ConnectionLimits;
  readonly admission: ConnectionAdmission;
  readonly registry: ConnectionRegistry;
  readonly diagnostics: TransportDiagnostics;
  readonly unsent: UnsentBytes;
  readonly readTurns: ReadTurns;
  readonly responseWriter: ResponseWriter;
  readonly headDecoder: RequestHeadDecoder;
  readonly channels: ChannelSource;
  /** For incoming chunks. */
  readonly blockPool: BlockPool;
}

/** Makes SecureChannels. */
export interface ChannelSource {
  /** Once the Hello is accepted. */
  create(hello: AcceptedHello): ServerChannel;
  /** The channel is disposed of; its id may be used again. */
  disposed(channelId: number): void;
}

/** What a SecureChannel is made from. */
export interface AcceptedHello {
  readonly limits: NegotiatedLimits;
  readonly endpointUrl: string;
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string;
  readonly reassembly: ReassemblyAdmission;
}
