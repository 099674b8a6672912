import type { LocalizedText, NodeId, QualifiedName, RolePermissionType } from '@bulkhead/types';
import type { XmlElement } from './xml-element.ts';

/** A model that a document defines or needs. */
export interface NodeSetModel {
  readonly uri: string;
  readonly version: string | undefined;
  readonly publicationDate: string | undefined;
  readonly requiredModels: readonly NodeSetModel[];
  readonly rolePermissions: readonly RolePermissionType[] | undefined;
  readonly accessRestrictions: number;
}

/** One `<Reference>`. */
export interface ParsedReference {
  readonly type: NodeId;
  readonly target: NodeId;
  readonly isForward: boolean;
}

/** One `<Field>` of a `<Definition>`. */
export interface ParsedField {
  readonly name: string;
  readonly displayName: LocalizedText | undefined;
  readonly description: LocalizedText | undefined;
  readonly dataType: NodeId;
  readonly valueRank: number;
  readonly arrayDimensions: readonly number[] | undefined;
  readonly maxStringLength: number;
  readonly value: bigint | undefined;
  readonly isOptional: boolean;
  readonly allowSubtypes: boolean;
}

/** A `<Definition>`: own fields only. OPC 10000-6 Annex F.12. */
export interface ParsedDefinition {
  readonly isUnion: boolean;
  readonly isOptionSet: boolean;
  readonly fields: readonly ParsedField[];
}

/** A node as a document has it, ids already mapped to the server's namespaces. */
export interface ParsedNode {
  /** `UAObject`, `UAVariable` … */
  readonly element: string;
  readonly nodeId: NodeId;
  readonly browseName: QualifiedName;
  readonly displayName: LocalizedText | undefined;
  readonly description: LocalizedText | undefined;
  readonly inverseName: LocalizedText | undefined;
  readonly symbolicName: string | undefined;
  readonly writeMask: number;
  readonly accessRestrictions: number | undefined;
  readonly rolePermissions: readonly RolePermissionType[] | undefined;
  readonly parentNodeId: NodeId | undefined;
  readonly references: readonly ParsedReference[];
  /** Plain attributes that only some classes have. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly dataType: NodeId | undefined;
  /** The element inside `<Value>`. */
  readonly value: XmlElement | undefined;
  readonly definition: ParsedDefinition | undefined;
}
