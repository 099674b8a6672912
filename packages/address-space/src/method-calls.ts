import type { SessionContext } from '@bulkhead/contracts';
import {
  Argument,
  type CallMethodRequest,
  type CallMethodResult,
  type DataValue,
  type ExtensionObject,
  NodeClass,
  PermissionType,
  type StatusCode,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import type { AccessControl } from './access-control.ts';
import type { OperationCaller } from './attribute-reader.ts';
import type { CallbackErrors } from './callback-errors.ts';
import type { MethodNode } from './instance-nodes.ts';
import type { NamespaceTable } from './namespace-table.ts';
import type { Node } from './node.ts';
import type { PlainValues } from './plain-values.ts';
import type { ReferenceKind } from './references.ts';
import { isThenable } from './thenable.ts';
import type { TypeNode } from './type-nodes.ts';
import { type TypeTree, WellKnown } from './type-tree.ts';
import type { ValueChecker } from './value-checker.ts';
import type { ValueConverter } from './value-converter.ts';
import type { VariableNode } from './variable-node.ts';

/** What method calls need of the rest of the address space. */
export interface MethodCallsParts {
  readonly namespaces: NamespaceTable;
  readonly types: TypeTree;
  readonly access: AccessControl;
  readonly checker: ValueChecker;
  readonly converter: ValueConverter;
  readonly plainValues: PlainValues;
  readonly errors: CallbackErrors;
  readonly stored: (node: VariableNode) => DataValue;
}

const NEVER_ABORTED: AbortSignal = new AbortController().signal;
const NO_ARGUMENTS: readonly Argument[] = [];

/** Calls methods. OPC 10000-4 §5.12.2. */
export class MethodCalls {
  readonly #parts: MethodCallsParts;
  /** Arguments by the property's value, so that a changed value is read anew. */
  readonly #arguments = new WeakMap<DataValue, readonly Argument[]>();

  constructor(parts: MethodCallsParts) {
    this.#parts = parts;
  }

  /** Calls one method. Never throws or rejects; what is wrong is in the result's StatusCode. */
  call(
    session: SessionContext | undefined,
    request: CallMethodRequest,
    caller?: OperationCaller,
  ): CallMethodResult | Promise<CallMethodResult> {
    const object = this.#parts.namespaces.find(request.objectId);
    if (object === undefined) return failed(request.objectId.isNull ? StatusCodes.BadNodeIdInvalid : StatusCodes.BadNodeIdUnknown);
    const method = this.find(object, request.methodId);
    if (method === undefined) return failed(StatusCodes.BadMethodInvalid);
    const denied = this.#checkCallable(session, method);
    if (denied !== StatusCodes.Good) return failed(denied);
    const wanted = this.#argumentsOf(method, 'InputArguments');
    const given = request.inputArguments ?? [];
    if (given.length < wanted.length) return failed(StatusCodes.BadArgumentsMissing);
    if (given.length > wanted.length) return failed(StatusCodes.BadTooManyArguments);
    const accepted = this.#acceptInputs(wanted, given);
    if (!Array.isArray(accepted)) return accepted as CallMethodResult;
    return this.#run(session, object, method, accepted, caller);
  }

  /**
   * The method that a call of `methodId` on an object means: the object's own, or the one of its type (supertypes and
   * interfaces included), for which the object's own of the same name is taken when it has one.
   */
  find(object: Node, methodId: CallMethodRequest['methodId']): MethodNode | undefined {
    const method = this.#parts.namespaces.find(methodId);
    if (method?.nodeClass !== NodeClass.Method) return undefined;
    if (this.#hasComponent(object, method)) return method as MethodNode;
    const type = object.nodeClass === NodeClass.Object ? this.#parts.types.typeDefinitionOf(object) : (object as TypeNode);
    if (!this.#typeHasComponent(type, method) && !this.#interfaceHasComponent(object, method)) return undefined;
    const own = object.nodeClass === NodeClass.Object ? object.child(method.name, method.nameIndex) : undefined;
    return (own?.nodeClass === NodeClass.Method ? own : method) as MethodNode;
  }

  #hasComponent(parent: Node, method: Node): boolean {
    const hasComponent = this.#parts.types.coreReferenceType(WellKnown.HasComponent);
    const slots = method.slots;
    for (let i = 0; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (
        kind !== undefined &&
        !kind.isForward &&
        slots[i + 1] === parent &&
        hasComponent !== undefined &&
        kind.type.isSubtypeOf(hasComponent)
      )
        return true;
    }
    return false;
  }

  #typeHasComponent(type: TypeNode | undefined, method: Node): boolean {
    for (let step = type; step !== undefined; step = step.superType) {
      if (this.#hasComponent(step, method) || this.#interfaceHasComponent(step, method)) return true;
    }
    return false;
  }

  #interfaceHasComponent(node: Node, method: Node): boolean {
    const hasInterface = this.#parts.types.coreReferenceType(WellKnown.HasInterface);
    if (hasInterface === undefined) return false;
    for (const target of node.targets(hasInterface)) {
      for (let step: TypeNode | undefined = target as TypeNode; step !== undefined; step = step.superType) {
        if (this.#hasComponent(step, method)) return true;
      }
    }
    return false;
  }

  #checkCallable(session: SessionContext | undefined, method: MethodNode): StatusCode {
    const { access } = this.#parts;
    if (!method.executable) return StatusCodes.BadNotExecutable;
    if (!access.allows(session, method, PermissionType.Call)) return StatusCodes.BadUserAccessDenied;
    const restricted = access.checkRestrictions(session, method);
    if (restricted !== StatusCodes.Good) return restricted;
    return method.callback === undefined ? StatusCodes.BadNotImplemented : StatusCodes.Good;
  }

  /** The inputs as they are to be used, or the result that says which of them are wrong. */
  #acceptInputs(wanted: readonly Argument[], given: readonly Variant[]): Variant[] | CallMethodResult {
    const { checker } = this.#parts;
    const accepted: Variant[] = [];
    const results: StatusCode[] = [];
    let areGood = true;
    for (const [i, { dataType, valueRank, arrayDimensions }] of wanted.entries()) {
      const variant = given[i] ?? Variant.NULL;
      const value = checker.accept(variant, {
        dataType,
        valueRank,
        arrayDimensions: arrayDimensions?.length ? arrayDimensions : undefined,
      });
      const status = typeof value === 'number' ? value : StatusCodes.Good;
      if (status !== StatusCodes.Good) areGood = false;
      results.push(status);
      accepted.push(typeof value === 'number' ? variant : value);
    }
    return areGood ? accepted : { ...failed(StatusCodes.BadInvalidArgument), inputArgumentResults: results };
  }

  #run(
    session: SessionContext | undefined,
    object: Node,
    method: MethodNode,
    inputArguments: readonly Variant[],
    caller: OperationCaller | undefined,
  ): CallMethodResult | Promise<CallMethodResult> {
    const { errors, plainValues } = this.#parts;
    try {
      const inputs = inputArguments.map((variant) => plainValues.of(variant));
      const outputs = method.callback?.(inputs, {
        session,
        object,
        method,
        inputArguments,
        get signal(): AbortSignal {
          return caller?.signal ?? NEVER_ABORTED;
        },
        parkSink: caller?.parkSink,
      });
      if (!isThenable(outputs)) return this.#succeeded(method, inputs.length, outputs ?? []);
      return Promise.resolve(outputs).then(
        (late) => this.#succeeded(method, inputs.length, late ?? []),
        (error: unknown) => failed(errors.toStatus(error, 'call', method)),
      );
    } catch (error) {
      return failed(errors.toStatus(error, 'call', method));
    }
  }

  #succeeded(method: MethodNode, inputCount: number, outputs: readonly unknown[]): CallMethodResult {
    const wanted = this.#argumentsOf(method, 'OutputArguments');
    try {
      if (outputs.length !== wanted.length) {
        throw new UaStatusError(StatusCodes.BadInternalError, `${outputs.length} outputs given, ${wanted.length} declared`);
      }
      return {
        statusCode: StatusCodes.Good,
        inputArgumentResults: new Array<StatusCode>(inputCount).fill(StatusCodes.Good),
        inputArgumentDiagnosticInfos: null,
        outputArguments: outputs.map((value, i) => this.#output(value, wanted[i] as Argument)),
      };
    } catch (error) {
      this.#parts.errors.warn('call-callback-outputs-invalid', method, { error });
      return failed(StatusCodes.BadInternalError);
    }
  }

  /** @throws UaStatusError for a value that is not of the declared DataType; nothing at all may be given for any. */
  #output(value: unknown, { dataType, valueRank, arrayDimensions, name }: Argument): Variant {
    const { checker, converter } = this.#parts;
    const target = { dataType, valueRank, arrayDimensions: arrayDimensions?.length ? arrayDimensions : undefined };
    const variant = converter.toVariant(value, target);
    if (variant.isNull) return variant;
    const accepted = checker.accept(variant, target);
    if (typeof accepted === 'number') throw new UaStatusError(accepted, `a value for ${name} fits neither its DataType nor its ValueRank`);
    return accepted;
  }

  #argumentsOf(method: MethodNode, name: 'InputArguments' | 'OutputArguments'): readonly Argument[] {
    const property = method.child(name, 0);
    if (property?.nodeClass !== NodeClass.Variable) return NO_ARGUMENTS;
    const value = this.#parts.stored(property as VariableNode);
    let known = this.#arguments.get(value);
    if (known === undefined) {
      const objects = (value.value?.elements ?? []) as ArrayLike<ExtensionObject>;
      known = Array.from(objects, (object) => object.decode(Argument));
      this.#arguments.set(value, known);
    }
    return known;
  }
}

function failed(statusCode: StatusCode): CallMethodResult {
  return { statusCode, inputArgumentResults: null, inputArgumentDiagnosticInfos: null, outputArguments: null };
}
