import { SaxesParser } from 'saxes';

/** An XML element with its namespace prefix removed from the name. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The element's own character data, trimmed. */
  readonly text: string;
}

interface OpenElement {
  name: string;
  attributes: Record<string, string>;
  children: OpenElement[];
  text: string;
}

/**
 * Collects every element with one of the wanted names, with all that is inside it. The rest of the document is skipped
 * without building a tree, which keeps a 4 MB nodeset cheap.
 * @throws Error when the document is not well-formed.
 */
export function collectElements(xml: string, wanted: ReadonlySet<string>): XmlElement[] {
  const found: OpenElement[] = [];
  const open: OpenElement[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const name = localName(tag.name);
    const parent = open.at(-1);
    if (parent === undefined && !wanted.has(name)) return;
    const element: OpenElement = { name, attributes: { ...tag.attributes }, children: [], text: '' };
    if (parent === undefined) found.push(element);
    else parent.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = element.text.trim();
  });
  parser.write(xml).close();
  return found;
}

/** The element's children with that name. */
export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** @throws Error when the attribute is missing. */
export function requiredAttribute(element: XmlElement, name: string): string {
  const value = element.attributes[name];
  if (value === undefined) throw new Error(`<${element.name}> without attribute ${name}`);
  return value;
}

export function booleanAttribute(element: XmlElement, name: string): boolean {
  return element.attributes[name] === 'true';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
