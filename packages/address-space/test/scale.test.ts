import { BrowseDescription, NodeId, ReferenceTypeIds } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { browseAll, createFixture, readNow, session } from './harness.ts';

const VARIABLES = 100_000;
const FOLDERS = 100;

describe('a namespace of 100,000 variables', () => {
  it('is found, read and browsed like a small one', () => {
    const { space } = createFixture();
    const namespace = space.namespaces.register('urn:test:big');
    const root = space.addFolder({ browseName: 'Big', namespace });
    for (let i = 0; i < FOLDERS; i++) {
      const folder = root.addFolder({ browseName: `F${i}` });
      for (let j = 0; j < VARIABLES / FOLDERS; j++) {
        folder.addVariable({ browseName: `V${j}`, nodeId: `s=F${i}.V${j}`, dataType: 'Double', value: j });
      }
    }
    expect(namespace.nodeCount).toBe(VARIABLES + FOLDERS + 1);
    expect(readNow(space, NodeId.string(namespace.index, 'F57.V321')).value?.value).toBe(321);
    let count = 0;
    for (const { nodeId } of browseAll(space, root.nodeId, { referenceTypeId: NodeId.numeric(0, ReferenceTypeIds.Organizes) })) {
      const description = BrowseDescription.create({
        nodeId: nodeId.nodeId,
        referenceTypeId: NodeId.numeric(0, ReferenceTypeIds.Organizes),
        resultMask: 63,
      });
      let page = space.browse(session(), description, undefined, 300);
      for (;;) {
        count += page.references.length;
        if (page.next === undefined) break;
        page = space.browse(session(), description, page.next, 300);
      }
    }
    expect(count).toBe(VARIABLES);
    const instances = browseAll(space, NodeId.numeric(0, 63), {
      browseDirection: 1,
      referenceTypeId: NodeId.numeric(0, ReferenceTypeIds.HasTypeDefinition),
    });
    expect(instances.length).toBeGreaterThanOrEqual(VARIABLES);
  });

  it('takes a subtree away again', () => {
    const { space } = createFixture();
    const before = space.nodeCount;
    const object = space.addObject({ browseName: 'O' });
    for (let i = 0; i < 10_000; i++) object.addVariable({ browseName: `V${i}`, dataType: 'Double', value: i });
    space.deleteNode(object);
    expect(space.nodeCount).toBe(before);
  });
});
