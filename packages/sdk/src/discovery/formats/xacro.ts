import { type OpenElement, type Reference, scanXml } from '@bindery/formats';
import type { FileFacts } from './format.ts';
import { isComputed } from './urdf.ts';

/**
 * Reads a robot written as macros (wiki.ros.org/xacro). Names with arguments or properties are those for their defaults
 * in this file; others cannot be followed without running xacro.
 */
export function readXacro(bytes: Uint8Array): FileFacts {
  const references: Reference[] = [];
  const values = new Map<string, string>();
  let isComplete = false;
  const add = (written: string | undefined, role: Reference['role'], line: number) => {
    if (!written) return;
    const text = withValues(written, values)
      .replace(/^\$\(dirname\)\//, '')
      .replace(/^\$\(find ([\w.-]+)\)\//, 'package://$1/');
    references.push(
      isComputed(text) ? { text: written, role, line, isComputed: true } : { text, role, line },
    );
  };
  scanXml(bytes, {
    open({ name, attributes, line }: OpenElement, above) {
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
  return { type: 'xacro', certain: true, references, isComplete };
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
