import { MESSAGE_HEADER_BYTES } from '@bulkhead/uacp';

/** Offsets in a MSG or CLO chunk. OPC 10000-6 §6.7.2.2 to §6.7.2.4. */
export const CHANNEL_ID_OFFSET: number = MESSAGE_HEADER_BYTES;
export const TOKEN_ID_OFFSET = 12;
/** Here encryption starts. */
export const SEQUENCE_HEADER_OFFSET = 16;
export const REQUEST_ID_OFFSET = 20;
export const BODY_OFFSET = 24;

export const SEQUENCE_HEADER_BYTES = 8;
