import { stageNames } from '@bulkhead/resource-isolation';
import { z } from 'zod';
import { roleNames } from '../roles.ts';
import { bytes, flag, integer, section, text, texts } from './member.ts';

const MAX_ENTRIES = 1000;
const MAX_KEY_LENGTH = 256;
/** `hh:mm:ss`, `hh:mm:ss.fff` or `d.hh:mm:ss`. */
const DURATION = /^(\d{1,8}\.)?([01]?\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,7})?$/u;

const modes = ['SharedOnly', 'FairShare', 'Balanced', 'TrustedReservations'] as const;

const amount = (description: string, min = 0) => integer(description, { min, max: Number.MAX_SAFE_INTEGER, unit: 'as the stage' });

const stage = z.enum(stageNames).meta({ description: 'The stage.' });

const stageLimits = z
  .strictObject({
    stage,
    capacity: amount('Lowers the total of the stage.', 1).optional(),
    ownerHardLimit: amount('Most that one caller may have at a time.', 1).optional(),
    bootstrapReserved: amount('Kept for starting up; 0 gives it up.').optional(),
    reconnectReserved: amount('Kept for coming back; 0 gives it up.').optional(),
    controlReserved: amount('Kept for giving resources back; 0 gives it up.').optional(),
    keptForIdleOwners: amount('RequestExecution only: slots for callers with nothing running; 0 gives them up.').optional(),
    shadow: flag('The limits only count what they would have refused.').optional(),
  })
  .meta({ description: 'Limits of one stage.' });

const reservation = z.strictObject({
  stage,
  reserved: amount('Kept for this owner; 0 gives it up.'),
  hardLimit: amount('Most that it may have at a time.', 1).optional(),
});

const trustedOwner = z.strictObject({
  key: text('The key that a classifier gives its callers.', MAX_KEY_LENGTH),
  weight: integer('Turns per round.', { unit: 'turns' }).optional(),
  reservations: z.array(reservation).max(MAX_ENTRIES).meta({ description: 'What it has at single stages.' }).optional(),
  shadow: flag('Its hard limits only count what they would have refused.').optional(),
});

const handshakeTimeout = z.union([z.int().min(1).max(120_000), z.string().regex(DURATION)]).meta({
  description: 'The same as `handshakeTimeoutMs`: milliseconds, or a text such as `00:00:30`.',
  standard: '`limits.handshakeTimeoutMs`',
});

/** The options of `configureResourceIsolation`; which of them a mode has is checked when the plan is made. */
export const resourceIsolation = section('How callers are kept apart; docs/resource-isolation.md explains it.', {
  mode: z.enum(modes).meta({ description: 'What is kept for whom.' }),
  maxTrackedOwners: integer('Callers with something in use at a time.', { unit: 'callers' }),
  maxOwnerKeyLength: integer("Longest key of a caller's account.", { unit: 'characters' }),
  defaultWeight: integer('Turns per round of a caller without a weight of its own.', { unit: 'turns' }),
  handshakeTimeout,
  handshakeTimeoutMs: integer('The same as that of `limits`, which may be said here instead.', {
    max: 120_000,
    unit: 'ms',
    standard: '`limits.handshakeTimeoutMs`',
  }),
  maxRetainedMessageBytes: bytes('What one unfinished message may keep alive at most.', 1, {
    standard: '4 × (`maxMessageSize` + `maxBufferSize`)',
  }),
  bootstrapReservedBytes: bytes('ReassemblyBytes kept for starting up.', 0, { standard: '`maxRetainedMessageBytes`' }),
  reconnectReservedBytes: bytes('ReassemblyBytes kept for coming back.', 0, { standard: '`maxRetainedMessageBytes`' }),
  ipv6PrefixLength: integer('IPv6 addresses that agree in this many bits are one caller.', { max: 128, unit: 'bits' }),
  shadowOwners: z
    .array(z.string().min(1).max(MAX_KEY_LENGTH))
    .max(MAX_ENTRIES)
    .meta({ description: 'Callers whose limits only count what they would have refused.', standard: 'none' }),
  stages: z.array(stageLimits).max(stageNames.length).meta({ description: 'Limits of single stages.', standard: 'none' }),
  trustedOwners: z
    .array(trustedOwner)
    .max(MAX_ENTRIES)
    .meta({ description: 'Callers with reserves of their own; mode TrustedReservations.', standard: 'none' }),
});

export const requestScheduling = section('In which order waiting requests run.', {
  useFairScheduling: flag('False: one queue in arrival order.', { standard: 'true, but in mode SharedOnly' }),
  schedulingCost: z.enum(['turn', 'time']).meta({ description: 'What weights are shares of: turns, or measured time.' }),
});

export const classifierRule = z.strictObject({
  key: text('Whose account it is.', MAX_KEY_LENGTH),
  ownerClass: z
    .enum(['Shared', 'Bootstrap', 'Reconnect', 'Control', 'Trusted'])
    .meta({ description: 'Which reserve its callers may use.' })
    .optional(),
  addressRanges: texts('Addresses and networks, such as `10.20.0.0/24`.').optional(),
  applicationUris: texts('Of validated certificates.').optional(),
  thumbprints: texts('Of validated certificates, in hexadecimal digits.').optional(),
  users: texts('Names of users.').optional(),
  roles: z.array(z.enum(roleNames)).min(1).meta({ description: 'Roles of users.' }).optional(),
});

export const classifiers = z
  .array(classifierRule)
  .min(1)
  .max(MAX_ENTRIES)
  .meta({ description: 'Who is protected or trusted: the first rule that knows a caller counts.', standard: 'none' });
