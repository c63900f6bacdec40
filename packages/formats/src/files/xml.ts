import { SaxesParser } from 'saxes';
import { decodeText } from './text.ts';
import { UnreadableFileError } from './unreadable.ts';

/** As deep as the parser of MuJoCo, Gazebo and ROS reads. */
const MAX_DEPTH = 500;
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
  /** Text or CDATA directly inside an element, trimmed, never empty. `around` ends with that element. */
  text?(text: string, around: readonly OpenElement[]): void;
  close?(): void;
}

/**
 * Reads a document once, element by element. Beyond well-formed XML it accepts what the XML parser of MuJoCo, Gazebo
 * and ROS accepts and authors write: comments and blanks before the declaration, two dashes within a comment, a bare
 * ampersand. Entities other than those of XML are errors, and so is a document type: nothing is expanded or fetched.
 *
 * @throws UnreadableFileError with the line; `visitor` has been called for everything before.
 */
export function scanXml(bytes: Uint8Array, visitor: XmlVisitor): void {
  const open: OpenElement[] = [];
  let elements = 0;
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.on('error', ({ message }) => {
    throw new UnreadableFileError(`not well-formed XML: line ${message.slice(0, 120)}`);
  });
  parser.on('doctype', () => {
    throw new UnreadableFileError(
      'not well-formed XML by itself: it relies on a document type (DOCTYPE), which is not read',
    );
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > MAX_ELEMENTS) throw new UnreadableFileError(`more than ${MAX_ELEMENTS} XML elements`);
    if (open.length >= MAX_DEPTH)
      throw new UnreadableFileError(`XML nested deeper than ${MAX_DEPTH} elements`);
    const element = { name, attributes, line: parser.line };
    visitor.open(element, open);
    open.push(element);
  });
  const onText = (text: string) => {
    const trimmed = text.trim();
    if (trimmed !== '' && open.length > 0) visitor.text?.(trimmed, open);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', () => {
    open.pop();
    visitor.close?.();
  });
  parser.write(decodeXml(bytes)).close();
  if (elements === 0) throw new UnreadableFileError('an empty XML document');
}

/** An element with what is inside it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly inside the element, trimmed; pieces between children or comments are joined by a space. */
  readonly text: string;
  /** The line at which its tag ends, counted from 1. */
  readonly line: number;
}

/**
 * Reads a whole document and returns its root. `onElement` is called with the depth of each element, and may throw.
 *
 * @throws UnreadableFileError as `scanXml` does.
 */
export function parseXml(bytes: Uint8Array, onElement: (depth: number) => void = () => {}): XmlElement {
  interface Growing extends XmlElement {
    readonly children: Growing[];
    text: string;
  }
  const within: Growing[] = [];
  let root: Growing | undefined;
  scanXml(bytes, {
    open({ name, attributes, line }, { length: depth }) {
      onElement(depth);
      const element: Growing = { name, attributes, children: [], text: '', line };
      within.at(-1)?.children.push(element);
      root ??= element;
      within.push(element);
    },
    text(text) {
      const element = within.at(-1);
      if (element !== undefined) element.text += element.text === '' ? text : ` ${text}`;
    },
    close() {
      within.pop();
    },
  });
  return root as XmlElement;
}

const DECLARATION = /^(\s*)<\?xml\b[^<>]*?\?>/;
/**
 * Parts in which nothing is replaced or, for comments, everything; then ampersands that begin no entity. What has no
 * end is one part up to the end of the document, so that its rest is not searched again.
 */
const LENIENT =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|&(?!(?:#\d+|#x[\da-f]+|[a-z][\w.-]*);)/gi;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;

/**
 * Returns the text of a document as every XML parser reads it: comments are blank, a bare ampersand is escaped, and the
 * declaration, which names an encoding that no longer applies, is gone. Line numbers stay.
 */
export function decodeXml(bytes: Uint8Array): string {
  const text = decodeText(bytes, declaredEncoding(bytes)).replace(LENIENT, (part) =>
    part === '&' ? '&amp;' : part.startsWith('<!--') && part.endsWith('-->') ? blank(part) : part,
  );
  return text.replace(/^\uFEFF/, '').replace(DECLARATION, blank);
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 64 * 1024));
  const declaration = /<\?xml\b[^<>]*?\?>/.exec(head.replace(COMMENT, ''))?.[0];
  return /\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(declaration ?? '')?.[1];
}

function blank(part: string): string {
  return part.replace(/[^\n]+/g, ' ');
}

const PROLOG =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!DOCTYPE[^<>[]*(?:\[[^\]]*(?:$|\][^>]*))?(?:>|$)/g;

/** Returns the name of a document's root element, given the first bytes; null if they do not contain one. */
export function xmlRoot(head: Uint8Array): string | null {
  const text = decodeText(head, declaredEncoding(head));
  return /<([A-Za-z_][\w.:-]*)/.exec(text.replace(PROLOG, ''))?.[1] ?? null;
}
