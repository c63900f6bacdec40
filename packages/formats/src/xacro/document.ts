import { parseXml, type XmlElement } from '../files/xml.ts';

/** An element of a document with macros, and the file that it was written in. */
export interface MacroElement extends XmlElement {
  readonly children: readonly MacroElement[];
  readonly file: string;
}

/** Reads a whole document. @throws UnreadableFileError */
export function parseDocument(bytes: Uint8Array, file: string): MacroElement {
  return writtenIn(parseXml(bytes), file);
}

function writtenIn(element: XmlElement, file: string): MacroElement {
  return { ...element, file, children: element.children.map((child) => writtenIn(child, file)) };
}
