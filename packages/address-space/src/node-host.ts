import type { DataValue } from '@bulkhead/types';
import type { MethodNode, ObjectNode } from './instance-nodes.ts';
import type { Node } from './node.ts';
import type { AnalogItemOptions, FolderOptions, MethodOptions, ObjectOptions, PropertyOptions, VariableOptions } from './node-options.ts';
import type { SetValueOptions, VariableNode } from './variable-node.ts';

/** What nodes ask of the address space that they are in. */
export interface NodeHost {
  addObject(parent: Node, options: ObjectOptions): ObjectNode;
  addFolder(parent: Node, options: FolderOptions): ObjectNode;
  addVariable(parent: Node, options: VariableOptions): VariableNode;
  addProperty(parent: Node, options: PropertyOptions): VariableNode;
  addMethod(parent: Node, options: MethodOptions): MethodNode;
  addAnalogItem(parent: Node, options: AnalogItemOptions): VariableNode;
  setValue(variable: VariableNode, value: unknown, options: SetValueOptions | undefined): void;
  /** Decodes a value that is still bytes, and returns it. */
  decodeValue(variable: VariableNode): DataValue;
}
