import { DecodingError, LocalizedText, NodeId, type RolePermissionType } from '@bulkhead/types';
import type { NamespaceTable } from '../namespace-table.ts';
import type { NodeSetModel, ParsedDefinition, ParsedField, ParsedNode, ParsedReference } from './nodeset-document.ts';
import { NodeSetIds } from './nodeset-ids.ts';
import { childNamed, childrenNamed, type XmlElement } from './xml-element.ts';

const BASE_DATA_TYPE: NodeId = NodeId.numeric(0, 24);
const NODE_ELEMENTS: ReadonlySet<string> = new Set([
  'UAObject',
  'UAVariable',
  'UAMethod',
  'UAView',
  'UAObjectType',
  'UAVariableType',
  'UADataType',
  'UAReferenceType',
]);

/** Turns the children of a `<UANodeSet>` into nodes. OPC 10000-6 Annex F. */
export class NodeSetReader {
  readonly namespaceUris: string[] = [];
  readonly models: NodeSetModel[] = [];
  readonly nodes: ParsedNode[] = [];
  readonly #aliases = new Map<string, string>();
  readonly #namespaces: NamespaceTable;
  #ids: NodeSetIds | undefined;

  constructor(namespaces: NamespaceTable) {
    this.#namespaces = namespaces;
  }

  /** Ids as the document means them; the namespaces are registered once the first is asked for. */
  get ids(): NodeSetIds {
    return (this.#ids ??= new NodeSetIds(this.#namespaces, this.namespaceUris, this.#aliases));
  }

  /** Takes one child of the root. @throws DecodingError */
  read(element: XmlElement): void {
    switch (element.name) {
      case 'NamespaceUris':
        for (const uri of childrenNamed(element, 'Uri')) this.namespaceUris.push(uri.text.trim());
        return;
      case 'Models':
        for (const model of childrenNamed(element, 'Model')) this.models.push(this.#model(model));
        return;
      case 'Aliases':
        for (const alias of childrenNamed(element, 'Alias')) this.#aliases.set(alias.attributes['Alias'] ?? '', alias.text.trim());
        return;
      default:
        if (NODE_ELEMENTS.has(element.name)) this.nodes.push(this.#node(element));
    }
  }

  #model(element: XmlElement): NodeSetModel {
    return {
      uri: required(element, 'ModelUri'),
      version: element.attributes['Version'],
      publicationDate: element.attributes['PublicationDate'],
      requiredModels: childrenNamed(element, 'RequiredModel').map((model) => this.#model(model)),
      rolePermissions: this.#rolePermissions(element),
      accessRestrictions: Number(element.attributes['AccessRestrictions'] ?? 0),
    };
  }

  #node(element: XmlElement): ParsedNode {
    const { attributes } = element;
    const parent = attributes['ParentNodeId'];
    const restrictions = attributes['AccessRestrictions'];
    const definition = childNamed(element, 'Definition');
    return {
      element: element.name,
      nodeId: this.ids.nodeId(required(element, 'NodeId')),
      browseName: this.ids.browseName(required(element, 'BrowseName')),
      displayName: localizedText(childNamed(element, 'DisplayName')),
      description: localizedText(childNamed(element, 'Description')),
      inverseName: localizedText(childNamed(element, 'InverseName')),
      symbolicName: attributes['SymbolicName'],
      writeMask: Number(attributes['WriteMask'] ?? 0),
      accessRestrictions: restrictions === undefined ? undefined : Number(restrictions),
      rolePermissions: attributes['HasNoPermissions'] === 'true' ? [] : this.#rolePermissions(element),
      parentNodeId: parent === undefined ? undefined : this.ids.nodeId(parent),
      references: this.#references(element),
      attributes,
      dataType: attributes['DataType'] === undefined ? undefined : this.ids.nodeId(attributes['DataType']),
      value: childNamed(element, 'Value')?.children[0],
      definition: definition === undefined ? undefined : this.#definition(definition),
    };
  }

  #references(element: XmlElement): ParsedReference[] {
    return childrenNamed(childNamed(element, 'References') ?? element, 'Reference').map((reference) => ({
      type: this.ids.nodeId(required(reference, 'ReferenceType')),
      target: this.ids.nodeId(reference.text),
      isForward: reference.attributes['IsForward'] !== 'false',
    }));
  }

  #rolePermissions(element: XmlElement): readonly RolePermissionType[] | undefined {
    const list = childNamed(element, 'RolePermissions');
    if (list === undefined) return undefined;
    return childrenNamed(list, 'RolePermission').map((entry) => ({
      roleId: this.ids.nodeId(entry.text),
      permissions: Number(entry.attributes['Permissions'] ?? 0),
    }));
  }

  #definition(element: XmlElement): ParsedDefinition {
    return {
      isUnion: element.attributes['IsUnion'] === 'true',
      isOptionSet: element.attributes['IsOptionSet'] === 'true',
      fields: childrenNamed(element, 'Field').map((field) => this.#field(field)),
    };
  }

  #field(element: XmlElement): ParsedField {
    const { attributes } = element;
    const value = attributes['Value'];
    return {
      name: required(element, 'Name'),
      displayName: localizedText(childNamed(element, 'DisplayName')),
      description: localizedText(childNamed(element, 'Description')),
      dataType: attributes['DataType'] === undefined ? BASE_DATA_TYPE : this.ids.nodeId(attributes['DataType']),
      valueRank: Number(attributes['ValueRank'] ?? -1),
      arrayDimensions: parseDimensions(attributes['ArrayDimensions']),
      maxStringLength: Number(attributes['MaxStringLength'] ?? 0),
      value: value === undefined ? undefined : BigInt(value),
      isOptional: attributes['IsOptional'] === 'true',
      allowSubtypes: attributes['AllowSubTypes'] === 'true',
    };
  }
}

/** `3,0` → [3, 0]; undefined for nothing. */
export function parseDimensions(text: string | undefined): readonly number[] | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.split(',').map(Number);
}

function localizedText(element: XmlElement | undefined): LocalizedText | undefined {
  return element === undefined ? undefined : new LocalizedText(element.text, element.attributes['Locale'] || null);
}

function required(element: XmlElement, name: string): string {
  const value = element.attributes[name];
  if (value === undefined) throw DecodingError.malformed(`<${element.name}> without ${name}`);
  return value;
}
