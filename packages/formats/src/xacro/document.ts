import { scanXml } from '../xml.ts';

/** An element of a document with macros. */
export interface MacroElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly MacroElement[];
  /** Text directly inside the element, trimmed; pieces between children are joined by a space. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/** Reads a whole document with the line of each element. @throws UnreadableFileError */
export function parseDocument(bytes: Uint8Array, file: string): MacroElement {
  interface Growing extends MacroElement {
    readonly children: Growing[];
    text: string;
  }
  const within: Growing[] = [];
  let root: Growing | undefined;
  scanXml(bytes, {
    open({ name, attributes, line }) {
      const element: Growing = { name, attributes: { ...attributes }, children: [], text: '', file, line };
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
  return root as MacroElement;
}
