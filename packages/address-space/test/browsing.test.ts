import {
  BrowseDescription,
  BrowseDirection,
  BrowsePath,
  type BrowsePathResult,
  DateTime,
  NodeClass,
  NodeId,
  QualifiedName,
  ReferenceTypeIds,
  type RelativePathElement,
  StatusCodes,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { browseAll, createFixture, session } from './harness.ts';

const ROOT = NodeId.numeric(0, 84);
const OBJECTS = NodeId.numeric(0, 85);
const SERVER = NodeId.numeric(0, 2253);
const reference = (id: number): NodeId => NodeId.numeric(0, id);

describe('browsing', () => {
  it('finds the standard entry points', () => {
    const { space } = createFixture();
    const names = browseAll(space, ROOT, { referenceTypeId: reference(ReferenceTypeIds.HierarchicalReferences) }).map(
      ({ browseName }) => browseName.name,
    );
    expect(names).toEqual(expect.arrayContaining(['Objects', 'Types', 'Views']));
    const [server] = browseAll(space, OBJECTS, { nodeClassMask: NodeClass.Object }).filter(
      ({ browseName }) => browseName.name === 'Server',
    );
    expect(server?.nodeId.nodeId.equals(SERVER)).toBe(true);
    expect(server?.typeDefinition.nodeId.identifier).toBe(2004);
    expect(server?.referenceTypeId.identifier).toBe(ReferenceTypeIds.Organizes);
  });

  it('reaches every node of namespace 0 from the root', () => {
    const { space } = createFixture({ enforcePermissions: false });
    const seen = new Set<unknown>([ROOT.key]);
    const queue = [ROOT];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      for (const { nodeId } of browseAll(space, id, { browseDirection: BrowseDirection.Both })) {
        if (seen.has(nodeId.nodeId.key)) continue;
        seen.add(nodeId.nodeId.key);
        queue.push(nodeId.nodeId);
      }
    }
    expect(seen.size).toBe(space.nodeCount);
  });

  it('filters by direction, reference type, subtypes and class', () => {
    const { space } = createFixture();
    const object = space.addObject({ browseName: 'O' });
    object.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    object.addProperty({ browseName: 'P', dataType: 'Double', value: 1 });
    object.addMethod({ browseName: 'M', call: () => [] });
    const names = (options: Partial<BrowseDescription>): (string | null)[] =>
      browseAll(space, object.nodeId, options).map(({ browseName }) => browseName.name);
    expect(names({})).toEqual(['BaseObjectType', 'V', 'P', 'M']);
    expect(names({ browseDirection: BrowseDirection.Inverse })).toEqual(['Objects']);
    expect(names({ browseDirection: BrowseDirection.Both })).toHaveLength(5);
    expect(names({ referenceTypeId: reference(ReferenceTypeIds.Aggregates) })).toEqual(['V', 'P', 'M']);
    expect(names({ referenceTypeId: reference(ReferenceTypeIds.Aggregates), includeSubtypes: false })).toEqual([]);
    expect(names({ referenceTypeId: reference(ReferenceTypeIds.HasProperty) })).toEqual(['P']);
    expect(names({ nodeClassMask: NodeClass.Method | NodeClass.ObjectType })).toEqual(['BaseObjectType', 'M']);
  });

  it('leaves out what the result mask does not name', () => {
    const { space } = createFixture();
    const [first] = browseAll(space, OBJECTS, { resultMask: 0 });
    expect(first).toMatchObject({ isForward: false, nodeClass: 0 });
    expect(first?.browseName.isNull && first.referenceTypeId.isNull && first.displayName.text === null).toBe(true);
    expect(first?.nodeId.nodeId.isNull).toBe(false);
  });

  it('answers wrong descriptions with their codes', () => {
    const { space } = createFixture();
    const status = (options: Partial<BrowseDescription>): number =>
      space.browse(session(), BrowseDescription.create({ nodeId: ROOT, ...options }), undefined, 10).statusCode;
    expect(status({ nodeId: NodeId.numeric(0, 9_999_999) })).toBe(StatusCodes.BadNodeIdUnknown);
    expect(status({ nodeId: NodeId.NULL })).toBe(StatusCodes.BadNodeIdInvalid);
    expect(status({ referenceTypeId: OBJECTS })).toBe(StatusCodes.BadReferenceTypeIdInvalid);
    expect(status({ referenceTypeId: NodeId.numeric(0, 9_999_999) })).toBe(StatusCodes.BadReferenceTypeIdInvalid);
    expect(status({ browseDirection: BrowseDirection.Invalid })).toBe(StatusCodes.BadBrowseDirectionInvalid);
    const view = (viewId: NodeId): number => space.checkView({ viewId, timestamp: DateTime.MIN, viewVersion: 0 });
    expect(view(NodeId.NULL)).toBe(StatusCodes.Good);
    expect(view(OBJECTS)).toBe(StatusCodes.BadViewIdUnknown);
    expect(view(space.addView({ browseName: 'View' }).nodeId)).toBe(StatusCodes.Good);
  });

  it('goes on from a cursor without loss or repetition, and says only so when there is more', () => {
    const { space } = createFixture();
    const folder = space.addFolder({ browseName: 'F' });
    for (let i = 0; i < 25; i++) folder.addVariable({ browseName: `V${i}`, dataType: 'Int32', value: i });
    const description = BrowseDescription.create({
      nodeId: folder.nodeId,
      referenceTypeId: reference(ReferenceTypeIds.Organizes),
      includeSubtypes: true,
      resultMask: 63,
    });
    const names: (string | null)[] = [];
    const pageLengths: number[] = [];
    let cursor: ReturnType<typeof space.browse>['next'];
    do {
      const page = space.browse(session(), description, cursor, 5);
      names.push(...page.references.map(({ browseName }) => browseName.name));
      pageLengths.push(page.references.length);
      cursor = page.next;
    } while (cursor !== undefined);
    expect(pageLengths).toEqual([5, 5, 5, 5, 5]);
    expect(names).toEqual(Array.from({ length: 25 }, (_, i) => `V${i}`));
  });

  it('skips nodes that were deleted between two pages, and misses none of the others', () => {
    const { space } = createFixture();
    const folder = space.addFolder({ browseName: 'F' });
    const nodes = Array.from({ length: 200 }, (_, i) => folder.addVariable({ browseName: `V${i}`, dataType: 'Int32', value: i }));
    const description = BrowseDescription.create({
      nodeId: folder.nodeId,
      referenceTypeId: reference(ReferenceTypeIds.Organizes),
      resultMask: 63,
    });
    const first = space.browse(session(), description, undefined, 50);
    for (const [i, node] of nodes.entries()) if (i % 2 === 0) space.deleteNode(node);
    const rest = space.browse(session(), description, first.next, 1000);
    expect(rest.references.map(({ browseName }) => browseName.name)).toEqual(Array.from({ length: 75 }, (_, i) => `V${51 + i * 2}`));
  });
});

describe('translating browse paths', () => {
  const { space } = createFixture();
  const element = (name: string, options: Partial<RelativePathElement> = {}): RelativePathElement => ({
    referenceTypeId: reference(ReferenceTypeIds.HierarchicalReferences),
    isInverse: false,
    includeSubtypes: true,
    targetName: new QualifiedName(0, name),
    ...options,
  });
  const translate = (startingNode: NodeId, ...elements: RelativePathElement[]): BrowsePathResult =>
    space.translateBrowsePath(session(), BrowsePath.create({ startingNode, relativePath: { elements } }));

  it('follows names forward and backward', () => {
    const forward = translate(ROOT, element('Objects'), element('Server'), element('ServerStatus'), element('CurrentTime'));
    expect(forward.statusCode).toBe(StatusCodes.Good);
    expect(forward.targets?.map(({ targetId, remainingPathIndex }) => [targetId.nodeId.identifier, remainingPathIndex])).toEqual([
      [2258, 0xffffffff],
    ]);
    const backward = translate(SERVER, element('Objects', { isInverse: true }));
    expect(backward.targets?.[0]?.targetId.nodeId.identifier).toBe(85);
    expect(translate(ROOT, element('Objects', { referenceTypeId: NodeId.NULL, includeSubtypes: false })).statusCode).toBe(StatusCodes.Good);
  });

  it('answers what matches nothing or is incomplete', () => {
    expect(translate(ROOT, element('Nowhere')).statusCode).toBe(StatusCodes.BadNoMatch);
    expect(translate(ROOT, element('Objects', { includeSubtypes: false })).statusCode).toBe(StatusCodes.BadNoMatch);
    expect(translate(ROOT, element('Objects', { referenceTypeId: OBJECTS })).statusCode).toBe(StatusCodes.BadNoMatch);
    expect(translate(ROOT).statusCode).toBe(StatusCodes.BadNothingToDo);
    expect(translate(NodeId.numeric(0, 9_999_999), element('X')).statusCode).toBe(StatusCodes.BadNodeIdUnknown);
    expect(translate(ROOT, element('X', { targetName: QualifiedName.NULL }), element('Y')).statusCode).toBe(
      StatusCodes.BadBrowseNameInvalid,
    );
  });

  it('gives up a path that goes back and forth through a large node, not one that goes through it once', () => {
    const folder = space.addFolder({ browseName: 'Large' });
    for (let i = 0; i < 30_000; i++) folder.addFolder({ browseName: `F${i}` });
    const there = element('F29999', { targetName: new QualifiedName(folder.nameIndex, 'F29999') });
    const back = element('Large', { isInverse: true, targetName: new QualifiedName(folder.nameIndex, 'Large') });
    expect(translate(folder.nodeId, there, back, there).statusCode).toBe(StatusCodes.Good);
    const path = Array.from({ length: 127 }, (_, i) => (i % 2 === 0 ? there : back));
    expect(translate(folder.nodeId, ...path).statusCode).toBe(StatusCodes.BadQueryTooComplex);
  });

  it('gives all targets when the last name is null', () => {
    expect(translate(ROOT, element('', { targetName: QualifiedName.NULL })).targets?.length).toBeGreaterThanOrEqual(3);
  });
});
