import type { ObjectNode } from '@bulkhead/address-space';
import { DEEP_PATH_LENGTH, MANY_CHILDREN_COUNT } from './node-ids.ts';

/** A folder with so many children that Browse needs continuation points, and one far below the root. */
export function addShapeNodes(parent: ObjectNode): void {
  const many = parent.addFolder({ browseName: 'Many', nodeId: 's=Many' });
  for (let i = 0; i < MANY_CHILDREN_COUNT; i++) {
    many.addVariable({ browseName: `Child${i}`, nodeId: `s=Many.${i}`, dataType: 'Int32', value: i });
  }
  let folder = parent.addFolder({ browseName: 'Deep', nodeId: 's=Deep' });
  for (let level = 1; level < DEEP_PATH_LENGTH; level++) {
    folder = folder.addFolder({ browseName: `Level${level}`, nodeId: `s=Deep.${level}` });
  }
  folder.addVariable({
    browseName: `Level${DEEP_PATH_LENGTH}`,
    nodeId: `s=Deep.${DEEP_PATH_LENGTH}`,
    dataType: 'String',
    value: 'the bottom',
  });
}
