import { expect, it } from 'vitest';
import type { ResourceIsolationOptions } from '../src/index.ts';

// What is marked here must not compile; the type check fails if it does.
it('a reserve that a mode or a stage does not have is no valid option', () => {
  const wrong: ResourceIsolationOptions[] = [
    // @ts-expect-error FairShare reserves nothing
    { mode: 'FairShare', stages: [{ stage: 'RequestQueue', bootstrapReserved: 1 }] },
    // @ts-expect-error FairShare reserves nothing
    { mode: 'FairShare', reconnectReservedBytes: 1 },
    // @ts-expect-error only TrustedReservations has trusted owners
    { mode: 'Balanced', trustedOwners: [{ key: 'a' }] },
    // @ts-expect-error a connection is no decoded request
    { mode: 'Balanced', stages: [{ stage: 'Connection', controlReserved: 1 }] },
    // @ts-expect-error TrustedReservations needs its owners
    { mode: 'TrustedReservations' },
  ];
  const right: ResourceIsolationOptions[] = [
    {},
    { mode: 'FairShare', stages: [{ stage: 'RequestExecution', ownerHardLimit: 8, bootstrapReserved: 0 }] },
    { stages: [{ stage: 'RequestQueue', controlReserved: 2 }] },
    { mode: 'TrustedReservations', trustedOwners: [{ key: 'a', reservations: [{ stage: 'Connection', reserved: 0 }] }] },
  ];
  expect(wrong.length + right.length).toBe(9);
});
