export { type LeakCheckOptions, trackLeaks } from './leak-check.ts';
export { ManualClock } from './manual-clock.ts';
export { ManualTurns } from './manual-turns.ts';
export { MemoryPeer } from './memory-peer.ts';
export { byteByByte, MemoryTransport, type MemoryTransportOptions, MemoryTransportPair } from './memory-transport.ts';
export {
  ChunkInbox,
  chunkTypeOf,
  encodeMessage,
  RawNoneChannel,
  RawResponse,
  rawChunk,
  rawHello,
  SECURITY_POLICY_NONE,
} from './raw-messages.ts';
export { RawReverseListener } from './raw-reverse-listener.ts';
export { RawUacpPeer, type RawUacpPeerOptions } from './raw-uacp-peer.ts';
export { type LogRecord, RecordingLogger } from './recording-logger.ts';
export { type AskedOwner, RecordingOwners } from './recording-owners.ts';
export { type RecordedAdmission, type RecordedStageLimits, RecordingProvider } from './recording-provider.ts';
export { createEventLoopRuntime, createManualRuntime, type EventLoopRuntime, type ManualRuntime } from './runtimes.ts';
export { SecuredUacpPeer, type SecuredUacpPeerOptions } from './secured-uacp-peer.ts';
export { SeededRandom } from './seeded-random.ts';
export {
  chunkOf,
  type RunningPair,
  type StartableTransport,
  startPair,
  type TransportCheck,
  type TransportPair,
  TransportRecorder,
  transportChecks,
} from './transport-compliance.ts';
