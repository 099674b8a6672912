import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { SaxesParser } from 'saxes';
import { compactText } from '../compact-text.ts';

/** An element with everything inside it. Names are without prefix. */
export interface XmlElement {
  readonly name: string;
  readonly uri: string;
  /** By name without prefix; namespace declarations are left out. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  /** Own text, that of children left out. */
  text: string;
}

/** Deeper documents are refused: nothing that a NodeSet says needs so many levels. */
const MAX_DEPTH = 256;

/**
 * Reads a document piece by piece and hands out each child of the root when it is complete, so that only one of them is in
 * memory. Document type declarations are refused.
 */
export class XmlChildren {
  readonly #parser: SaxesParser<{ xmlns: true; position: false }> = new SaxesParser({ xmlns: true, position: false });
  readonly #open: XmlElement[] = [];
  readonly #onRoot: (root: XmlElement) => void;
  readonly #onChild: (child: XmlElement) => void;

  /**
   * @param onRoot the root element with its attributes, before its children.
   */
  constructor(onRoot: (root: XmlElement) => void, onChild: (child: XmlElement) => void) {
    this.#onRoot = onRoot;
    this.#onChild = onChild;
    const parser = this.#parser;
    parser.on('doctype', () => fail('document type declarations are not accepted'));
    parser.on('error', (error) => fail(error.message));
    parser.on('opentag', (tag) => this.#start(tag));
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('closetag', () => this.#end());
  }

  /** @throws UaStatusError BadDecodingError when the document is not well-formed. */
  write(text: string): void {
    this.#parser.write(text);
  }

  /** @throws UaStatusError BadDecodingError when the document is not complete. */
  close(): void {
    this.#parser.close();
  }

  #start(tag: { local: string; uri: string; attributes: Record<string, { prefix: string; local: string; value: string }> }): void {
    if (this.#open.length >= MAX_DEPTH) fail(`elements nested deeper than ${MAX_DEPTH}`);
    const attributes: Record<string, string> = {};
    for (const attribute of Object.values(tag.attributes)) {
      if (attribute.prefix !== 'xmlns' && attribute.local !== 'xmlns') attributes[attribute.local] = compactText(attribute.value);
    }
    const element: XmlElement = { name: tag.local, uri: tag.uri, attributes, children: [], text: '' };
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#onRoot(element);
    else if (this.#open.length > 1) parent.children.push(element);
    this.#open.push(element);
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined && this.#open.length > 1) element.text += text;
  }

  #end(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    element.text = compactText(element.text);
    if (this.#open.length === 1) this.#onChild(element);
  }
}

export function childNamed(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}

export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** Text of a child, trimmed; undefined when there is no such child. */
export function childText(element: XmlElement, name: string): string | undefined {
  return childNamed(element, name)?.text.trim();
}

/** The element as a document of its own. */
export function serializeXml(element: XmlElement, parentUri = ''): string {
  const namespace = element.uri === parentUri ? '' : ` xmlns="${escapeXml(element.uri)}"`;
  const attributes = Object.entries(element.attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const content =
    element.children.length > 0 ? element.children.map((child) => serializeXml(child, element.uri)).join('') : escapeXml(element.text);
  return `<${element.name}${namespace}${attributes.join('')}>${content}</${element.name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function fail(message: string): never {
  throw new UaStatusError(StatusCodes.BadDecodingError, `not a NodeSet document: ${message}`);
}
