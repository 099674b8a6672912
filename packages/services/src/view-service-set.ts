import type { AddressSpace, BrowseCursor } from '@bulkhead/address-space';
import type { ServiceContext, ServiceHandler, SessionContext } from '@bulkhead/contracts';
import {
  type BrowseDescription,
  type BrowseNextRequest,
  type BrowseNextResponse,
  type BrowsePath,
  type BrowsePathResult,
  type BrowseRequest,
  type BrowseResponse,
  type BrowseResult,
  isBad,
  type RegisterNodesRequest,
  type RegisterNodesResponse,
  type StatusCode,
  StatusCodes,
  type TranslateBrowsePathsToNodeIdsRequest,
  type TranslateBrowsePathsToNodeIdsResponse,
  UaStatusError,
  type UnregisterNodesRequest,
  type UnregisterNodesResponse,
} from '@bulkhead/types';
import { withResults } from './attribute-service-set.ts';
import type { ContinuationPoints } from './continuation-points.ts';
import type { OperationLimits } from './limits.ts';
import { runOperations } from './operation-loop.ts';
import { requireOperations } from './operations.ts';
import { requireSession } from './require-session.ts';

/** In all results of one response together: what is more comes behind continuation points, so that memory has a bound. */
const MAX_REFERENCES_PER_RESPONSE = 100_000;

/** A Browse that isn't at its end. */
export interface BrowseState {
  readonly description: BrowseDescription;
  readonly cursor: BrowseCursor;
  readonly maxReferences: number;
}

/** Browse, BrowseNext, TranslateBrowsePathsToNodeIds, RegisterNodes and UnregisterNodes. OPC 10000-4 §5.9. */
export interface ViewServiceSet {
  readonly Browse: ServiceHandler<BrowseRequest, BrowseResponse>;
  readonly BrowseNext: ServiceHandler<BrowseNextRequest, BrowseNextResponse>;
  readonly TranslateBrowsePathsToNodeIds: ServiceHandler<TranslateBrowsePathsToNodeIdsRequest, TranslateBrowsePathsToNodeIdsResponse>;
  readonly RegisterNodes: ServiceHandler<RegisterNodesRequest, RegisterNodesResponse>;
  readonly UnregisterNodes: ServiceHandler<UnregisterNodesRequest, UnregisterNodesResponse>;
}

export function createViewServiceSet(
  space: AddressSpace,
  limits: OperationLimits,
  points: ContinuationPoints<BrowseState>,
): ViewServiceSet {
  return {
    Browse: (request, context) => {
      const viewStatus = space.checkView(request.view);
      if (isBad(viewStatus)) throw new UaStatusError(viewStatus, 'view');
      const nodes = requireOperations(request.nodesToBrowse, limits.maxNodesPerBrowse);
      const asked = request.requestedMaxReferencesPerNode;
      const maxReferences = asked === 0 ? limits.maxReferencesPerNode : Math.min(asked, limits.maxReferencesPerNode);
      const browser = new PagedBrowser(space, points);
      const browse = (description: BrowseDescription, caller: ServiceContext): BrowseResult =>
        browser.page(requireSession(caller), description, undefined, maxReferences);
      return withResults(runOperations(nodes, context, browse, { operationsPerLook: 1 }));
    },
    BrowseNext: (request, context) => {
      const continuationPoints = requireOperations(request.continuationPoints, limits.maxNodesPerBrowse);
      const isRelease = request.releaseContinuationPoints;
      const browser = new PagedBrowser(space, points);
      const proceed = (point: Uint8Array | null, caller: ServiceContext): BrowseResult =>
        browser.next(requireSession(caller), point, isRelease);
      return withResults(runOperations(continuationPoints, context, proceed, { operationsPerLook: 1 }));
    },
    TranslateBrowsePathsToNodeIds: (request, context) => {
      const paths = requireOperations(request.browsePaths, limits.maxNodesPerTranslateBrowsePathsToNodeIds);
      const translate = (path: BrowsePath, caller: ServiceContext): BrowsePathResult => space.translateBrowsePath(caller.session, path);
      return withResults(runOperations(paths, context, translate, { operationsPerLook: 1 }));
    },
    // Look-up by NodeId is as fast as it gets here, so that ids are registered under their own name.
    RegisterNodes: (request) => ({
      registeredNodeIds: requireOperations(request.nodesToRegister, limits.maxNodesPerRegisterNodes),
    }),
    UnregisterNodes: (request) => {
      requireOperations(request.nodesToUnregister, limits.maxNodesPerRegisterNodes);
      return {};
    },
  };
}

/** Browses a page at a time for one request; what is left waits behind a continuation point. */
class PagedBrowser {
  readonly #space: AddressSpace;
  readonly #points: ContinuationPoints<BrowseState>;
  #referencesLeft = MAX_REFERENCES_PER_RESPONSE;

  constructor(space: AddressSpace, points: ContinuationPoints<BrowseState>) {
    this.#space = space;
    this.#points = points;
  }

  page(session: SessionContext, description: BrowseDescription, from: BrowseCursor | undefined, maxReferences: number): BrowseResult {
    const pageSize = Math.max(1, Math.min(maxReferences, this.#referencesLeft));
    const { statusCode, references, next } = this.#space.browse(session, description, from, pageSize);
    let continuationPoint: Buffer | null = null;
    if (next !== undefined) {
      const added = this.#points.add(session, this, { description, cursor: next, maxReferences });
      if (added === undefined) return withoutReferences(StatusCodes.BadNoContinuationPoints);
      continuationPoint = added;
    }
    this.#referencesLeft -= references.length;
    return { statusCode, continuationPoint, references };
  }

  next(session: SessionContext, point: Uint8Array | null, isRelease: boolean): BrowseResult {
    const state = this.#points.take(session, point);
    if (state === undefined) return withoutReferences(StatusCodes.BadContinuationPointInvalid);
    if (isRelease) return withoutReferences(StatusCodes.Good);
    return this.page(session, state.description, state.cursor, state.maxReferences);
  }
}

function withoutReferences(statusCode: StatusCode): BrowseResult {
  return { statusCode, continuationPoint: null, references: null };
}
