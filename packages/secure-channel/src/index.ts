export { certificateRefusal } from './certificate-refusal.ts';
export type { ChannelIdentity } from './channel-identity.ts';
export { ChunkReassembler, type ReassemblyAdmission, type ReassemblyLimits } from './chunk-reassembler.ts';
export {
  type ClientChannelEvent,
  ClientSecureChannel,
  type ClientSecureChannelOptions,
} from './client-secure-channel.ts';
export { EncodeBuffer } from './encode-buffer.ts';
export type { SecureChannelEndpoints } from './secure-channel-endpoints.ts';
export { type ServerChannelEvent, ServerSecureChannel, type ServerSecureChannelOptions } from './server-secure-channel.ts';
