import { type OpenElement, type Reference, scanXml } from '@bindery/formats';
import type { FileFacts } from './format.ts';
import { isComputed } from './urdf.ts';

/** Reads a robot written as macros (wiki.ros.org/xacro). Names with properties or arguments cannot be followed. */
export function readXacro(bytes: Uint8Array): FileFacts {
  const references: Reference[] = [];
  let isComplete = false;
  const add = (written: string | undefined, role: Reference['role'], line: number) => {
    const text = written?.replace(/^\$\(find ([\w-]+)\)\//, 'package://$1/');
    if (text && !isComputed(text)) references.push({ text, role, line });
  };
  scanXml(bytes, {
    open({ name, attributes, line }: OpenElement, above) {
      // Macros are for others to call; everything outside them is instantiated.
      if (!above.some((element) => element.name === 'xacro:macro')) {
        if (name === 'link' || (name.startsWith('xacro:') && !PASSIVE.has(name))) isComplete = true;
      }
      if (name === 'xacro:include') add(attributes.filename, 'include', line);
      else if (name === 'mesh' || name === 'texture') add(attributes.filename, name, line);
    },
  });
  return { type: 'xacro', certain: true, references, isComplete };
}

const PASSIVE: ReadonlySet<string> = new Set([
  'xacro:macro',
  'xacro:property',
  'xacro:arg',
  'xacro:include',
  'xacro:if',
  'xacro:unless',
]);
