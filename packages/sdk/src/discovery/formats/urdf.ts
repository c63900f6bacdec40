import { type OpenElement, type Reference, type ReferenceRole, scanXml } from '@bindery/formats';
import type { FileFacts } from './format.ts';

const ROLES: Readonly<Record<string, ReferenceRole>> = { mesh: 'mesh', texture: 'texture' };

/** Reads a robot in URDF (wiki.ros.org/urdf/XML), in any dialect that names its meshes by `filename` or `uri`. */
export function readUrdf(bytes: Uint8Array): FileFacts {
  const references: Reference[] = [];
  let isComplete = false;
  scanXml(bytes, {
    open({ name, attributes, line }: OpenElement) {
      if (name === 'link') isComplete = true;
      const role = ROLES[name];
      const text = attributes.filename ?? attributes.uri;
      if (role !== undefined && text) {
        references.push({ text, role, line, ...(isComputed(text) && { isComputed: true }) });
      }
    },
  });
  return { type: 'urdf', certain: true, references, isComplete };
}

/** Whether a macro processor computes the name: `${…}` and `$(…)`. */
export function isComputed(text: string): boolean {
  return /\$[{(]/.test(text);
}
