import { SaxesParser } from 'saxes';
import { UnreadableFileError } from '../file-reader.ts';

export const MAX_XML_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 256;
const MAX_ELEMENTS = 1_000_000;

/** An element that is open while a document is read. */
export interface OpenElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The line at which its tag ends, counted from 1. */
  readonly line: number;
}

export interface XmlVisitor {
  /** `above` contains the enclosing elements, the root first. */
  open(element: OpenElement, above: readonly OpenElement[]): void;
  /** Text directly inside an element, trimmed, never empty. `around` ends with that element. */
  text?(text: string, around: readonly OpenElement[]): void;
}

/**
 * Reads a document once, element by element. Throws `UnreadableFileError` if it is not well-formed, declares a
 * document type (nothing is ever expanded or fetched), or exceeds the limits; `visitor` has been called for everything
 * before.
 */
export function scanXml(bytes: Uint8Array, visitor: XmlVisitor): void {
  const open: OpenElement[] = [];
  let elements = 0;
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.on('error', ({ message }) => {
    throw new UnreadableFileError(`not well-formed XML: ${message.slice(0, 120)}`);
  });
  parser.on('doctype', () => {
    throw new UnreadableFileError('declares a document type (DOCTYPE), so it was not examined');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > MAX_ELEMENTS) throw new UnreadableFileError(`more than ${MAX_ELEMENTS} XML elements`);
    if (open.length >= MAX_DEPTH)
      throw new UnreadableFileError(`XML nested deeper than ${MAX_DEPTH} elements`);
    const element = { name, attributes, line: parser.line };
    visitor.open(element, open);
    open.push(element);
  });
  parser.on('text', (text) => {
    const trimmed = text.trim();
    if (trimmed !== '' && open.length > 0) visitor.text?.(trimmed, open);
  });
  parser.on('cdata', (text) => {
    const trimmed = text.trim();
    if (trimmed !== '' && open.length > 0) visitor.text?.(trimmed, open);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(decodeXml(bytes)).close();
}

/** Decodes UTF-8, unless the declaration names one of the single-byte encodings that older tools wrote. */
function decodeXml(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const named = /^<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/i.exec(head)?.[1]?.toLowerCase();
  const encoding = named !== undefined && SINGLE_BYTE.has(named) ? 'latin1' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

const SINGLE_BYTE: ReadonlySet<string> = new Set(['iso-8859-1', 'latin1', 'windows-1252', 'us-ascii']);
