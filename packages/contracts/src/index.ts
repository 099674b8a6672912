export type { ByteTransport, ByteTransportEvents } from './byte-transport.ts';
export type { CallerOwners } from './caller-owners.ts';
export type { Clock, Logger, LogLevel, RandomSource, Runtime, Timer, Timers, TurnScheduler } from './clock.ts';
export type { IncomingRequest, OutgoingResponseHeader, RequestSink } from './incoming-request.ts';
export type { MonitoredSource, MonitoredTarget, SessionHolder } from './monitored-source.ts';
export type { RetainedBytesAccount, RetainedBytesAccounts } from './retained-bytes.ts';
export type { RemoteAddress, SecureChannelContext } from './secure-channel-context.ts';
export type { ServiceContext, ServiceHandler, TimeSlice } from './service-handler.ts';
export type { SessionContext, SessionResolver, UserIdentity } from './session-context.ts';
