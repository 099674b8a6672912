import { NodeClass } from '@bulkhead/types';
import type { Namespace } from './namespace.ts';
import { Node, type NodeIdentifier } from './node.ts';
import type { MethodCallback } from './node-options.ts';

/** OPC 10000-3 §5.5.1. */
export class ObjectNode extends Node {
  /** Bits of EventNotifierType. */
  eventNotifier = 0;

  get nodeClass(): NodeClass {
    return NodeClass.Object;
  }
}

/** OPC 10000-3 §5.4. */
export class ViewNode extends Node {
  eventNotifier = 0;
  containsNoLoops = false;

  get nodeClass(): NodeClass {
    return NodeClass.View;
  }
}

/** OPC 10000-3 §5.7. */
export class MethodNode extends Node {
  executable = true;
  /** What a call runs; undefined answers BadNotImplemented. */
  callback: MethodCallback | undefined;

  constructor(namespace: Namespace, identifier: NodeIdentifier, name: string, nameIndex: number, callback?: MethodCallback) {
    super(namespace, identifier, name, nameIndex);
    this.callback = callback;
  }

  get nodeClass(): NodeClass {
    return NodeClass.Method;
  }

  /** Gives the method its behaviour: for methods that came with a loaded namespace. */
  bind(callback: MethodCallback): void {
    this.callback = callback;
  }
}
