import type { Reference } from '../files/resolve.ts';
import { type OpenElement, scanXml } from '../files/xml.ts';
import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';

/**
 * Reads a robot written as macros (wiki.ros.org/xacro). Names with arguments or properties are those for their defaults
 * in this file; others cannot be followed without running xacro.
 */
export function surveyXacro(file: BoundedFile): Survey {
  const references: Reference[] = [];
  const values = new Map<string, string>();
  let isComplete = false;
  let isNamed = false;
  const add = (written: string | undefined, role: Reference['role'], line: number) => {
    // Patterns of names are followed when macros are expanded.
    if (!written || /[*?[]/.test(written)) return;
    const text = withValues(written, values)
      .replace(/^\$\(dirname\)\//, '')
      .replace(/^\$\(find ([\w.-]+)\)\//, 'package://$1/');
    references.push(
      isComputed(text) ? { text: written, role, line, isComputed: true } : { text, role, line },
    );
  };
  scanXml(file.whole(MAX_XML_BYTES), {
    open({ name, attributes, line }: OpenElement, above) {
      if (above.length === 0) isNamed = Boolean(attributes.name);
      // Macros are for others to call; everything outside them is instantiated.
      const isInMacro = above.some((element) => element.name === 'xacro:macro');
      if (!isInMacro && (name === 'link' || (name.startsWith('xacro:') && !PASSIVE.has(name))))
        isComplete = true;
      if (name === 'xacro:arg' || (name === 'xacro:property' && !isInMacro))
        values.set(attributes.name ?? '', attributes.default ?? attributes.value ?? '');
      if (name === 'xacro:include') add(attributes.filename, 'include', line);
      else if (name === 'mesh' || name === 'texture') add(attributes.filename, name, line);
    },
  });
  return { type: 'xacro', certain: true, references, isComplete, isNamed };
}

/** Replaces `$(arg name)` and `${name}` by what is known of them. */
function withValues(text: string, values: ReadonlyMap<string, string>): string {
  let known = text;
  for (let round = 0; round < 4 && isComputed(known); round++) {
    known = known.replace(
      /\$\(arg ([\w.-]+)\)|\$\{\s*(\w+)\s*\}/g,
      (all, arg?: string, property?: string) => {
        const value = values.get(arg ?? property ?? '');
        return value === undefined || value === '' ? all : value;
      },
    );
  }
  return known;
}

const PASSIVE: ReadonlySet<string> = new Set([
  'xacro:macro',
  'xacro:property',
  'xacro:arg',
  'xacro:include',
  'xacro:if',
  'xacro:unless',
]);

/** Whether a macro processor computes the name: `${…}` and `$(…)`. */
export function isComputed(text: string): boolean {
  return /\$[{(]/.test(text);
}
