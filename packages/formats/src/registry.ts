import type { Format, FormatFamily } from './format.ts';
import * as formats from './formats.ts';

export type FormatName = (typeof formats)[keyof typeof formats]['name'];

/** A format that Bindery reads. */
export interface FileFormat extends Format {
  readonly name: FormatName;
}

/** Those that most viewers open best come first. */
export const FORMATS: readonly FileFormat[] = Object.values(formats).sort(
  (a: FileFormat, b: FileFormat) => a.preference - b.preference,
);

const byExtension = new Map<string, FileFormat>();
for (const format of FORMATS)
  for (const extension of extensionsOf(format)) byExtension.set(extension, format);

/** Returns the format of a name, such as the kind of an asset. */
export function formatNamed(name: string): FileFormat | undefined {
  return FORMATS.find((format) => format.name === name);
}

/** Returns the format that an extension stands for, in lower case and without a dot. */
export function formatOf(extension: string): FileFormat | undefined {
  return byExtension.get(extension);
}

/** Returns the format whose files in XML have a root element of this name. */
export function formatOfRoot(root: string | null): FileFormat | undefined {
  return FORMATS.find(({ roots }) => root !== null && roots?.includes(root));
}

/** Returns the extensions of a format, those that others have as well last. */
export function extensionsOf({ extensions, ambiguous = [] }: FileFormat): readonly string[] {
  return [...extensions, ...ambiguous];
}

/** Returns all extensions of formats of some families, in the order of the formats. */
export function extensionsOfFamilies(...families: readonly FormatFamily[]): string[] {
  return FORMATS.filter(({ family }) => families.includes(family)).flatMap(extensionsOf);
}
