import {
  expandXacro,
  extensionOf,
  indexWithPackages,
  type MacroElement,
  type OpenElement,
  scanXml,
  type XmlVisitor,
} from '@bindery/formats';

/** A robot or a world, read element by element: in macros, as they describe it. */
export interface Description {
  /** Throws `UnreadableFileError`. */
  scan(visitor: XmlVisitor): void;
  /** Where an element was written. */
  placeOf(element: OpenElement): { file: string; line: number };
}

/** Reads a description among the files of its asset. Throws `UnreadableFileError`. */
export function readDescription(
  file: string,
  paths: readonly string[],
  read: (path: string) => Uint8Array,
): Description {
  if (extensionOf(file) !== 'xacro') {
    const bytes = read(file);
    return {
      scan: (visitor) => scanXml(bytes, visitor),
      placeOf: ({ line }) => ({ file, line }),
    };
  }
  const { root } = expandXacro(file, { index: indexWithPackages(paths, read), read });
  return {
    scan: (visitor) => visit(root, visitor, []),
    placeOf: (element) => ({ file: (element as MacroElement).file, line: element.line }),
  };
}

function visit(element: MacroElement, visitor: XmlVisitor, above: readonly MacroElement[]): void {
  visitor.open(element, above);
  const around = [...above, element];
  if (element.text !== '') visitor.text?.(element.text, around);
  for (const child of element.children) visit(child, visitor, around);
}
