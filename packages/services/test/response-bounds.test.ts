import type { AddressSpace } from '@bulkhead/address-space';
import type { ServiceContext, SessionContext } from '@bulkhead/contracts';
import {
  BrowseDescription,
  BrowseRequest,
  type BrowseResponse,
  BuiltInType,
  DataValue,
  ReadRequest,
  ReadValueId,
  StatusCodes,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createAttributeServiceSet } from '../src/attribute-service-set.ts';
import { ContinuationPoints } from '../src/continuation-points.ts';
import { defaultOperationLimits } from '../src/limits.ts';
import { type BrowseState, createViewServiceSet } from '../src/view-service-set.ts';

const context = {
  session: {} as SessionContext,
  signal: new AbortController().signal,
  slice: { isSpent: () => false, next: () => Promise.resolve() },
} as unknown as ServiceContext;

describe('one response', () => {
  it('of Browse holds a bounded number of references: the rest waits behind continuation points, then there are none left', async () => {
    const references = Array.from({ length: 9_000 });
    const space = {
      checkView: () => StatusCodes.Good,
      browse: (_session: unknown, _description: unknown, _from: unknown, max: number) => ({
        statusCode: StatusCodes.Good,
        references: references.slice(0, max),
        next: max < references.length ? {} : undefined,
      }),
    } as unknown as AddressSpace;
    let points = 0;
    const random = { bytes: (byteCount: number) => Buffer.alloc(byteCount, ++points) };
    const views = createViewServiceSet(space, defaultOperationLimits, new ContinuationPoints<BrowseState>(random, 50));
    const nodesToBrowse = Array.from({ length: 5_000 }, () => BrowseDescription.create({}));
    const { results } = (await views.Browse(BrowseRequest.create({ nodesToBrowse }), context)) as BrowseResponse;
    const total = results?.reduce((sum, result) => sum + (result.references?.length ?? 0), 0);
    expect(total).toBeLessThanOrEqual(100_000 + 50);
    expect(results?.at(0)?.references).toHaveLength(9_000);
    expect(results?.filter(({ continuationPoint }) => continuationPoint !== null)).toHaveLength(50);
    expect(results?.at(-1)?.statusCode).toBe(StatusCodes.BadNoContinuationPoints);
  });

  it.each(['at once', 'later'])('of Read holds a bounded part of arrays that are there %s', async (when) => {
    const elements = new Array<number>(1_000_000).fill(1);
    let copied = 0;
    const space = {
      holdTime: () => {},
      releaseTime: () => {},
      readAttribute: () => {
        copied++;
        const value = new DataValue(Variant.array(BuiltInType.Int32, elements));
        return when === 'later' ? Promise.resolve(value) : value;
      },
    } as unknown as AddressSpace;
    const attributes = createAttributeServiceSet(space, defaultOperationLimits);
    const nodesToRead = Array.from({ length: 1_000 }, () => ReadValueId.create({ indexRange: '0:999999' }));
    const answer = async (): Promise<unknown> => attributes.Read(ReadRequest.create({ nodesToRead, timestampsToReturn: 2 }), context);
    await expect(answer()).rejects.toMatchObject({ statusCode: StatusCodes.BadResponseTooLarge });
    if (when === 'at once') expect(copied).toBe(17);
  });
});
