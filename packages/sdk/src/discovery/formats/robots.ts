import { type OpenElement, type Reference, type ReferenceRole, scanXml } from '@bindery/formats';
import type { FileFacts } from './facts.ts';

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
function isComputed(text: string): boolean {
  return /\$[{(]/.test(text);
}

/**
 * Reads a robot written as macros (wiki.ros.org/xacro). Names with arguments or properties are those for their defaults
 * in this file; others cannot be followed without running xacro.
 */
export function readXacro(bytes: Uint8Array): FileFacts {
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
  scanXml(bytes, {
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

/** Elements whose text names a file or a folder (sdformat.org/spec). */
const TEXTS: ReadonlySet<string> = new Set([
  'uri',
  'diffuse',
  'normal',
  'normal_map',
  'albedo_map',
  'roughness_map',
  'metalness_map',
  'environment_map',
  'ambient_occlusion_map',
  'emissive_map',
  'light_map',
]);
/** Colours are written in elements with the same names. */
const COLOR = /^[-+\d.eE\s]+$/;

/** Reads a model or a world in SDFormat. Files named by plugins are ignored. */
export function readSdf(bytes: Uint8Array): FileFacts {
  const references: Reference[] = [];
  let isComplete = false;
  let isWorld = false;
  scanXml(bytes, {
    open({ name }, { length: depth }) {
      if (name === 'link' || name === 'include') isComplete = true;
      if (name === 'world' && depth === 1) isWorld = true;
    },
    text(text, around) {
      const element = around.at(-1);
      if (element === undefined || !TEXTS.has(element.name) || COLOR.test(text)) return;
      if (around.some(({ name }) => name === 'plugin')) return;
      references.push({ text, role: roleOf(element, around), line: element.line });
    },
  });
  return { type: 'sdf', certain: true, references, isComplete, isWorld };
}

function roleOf({ name }: OpenElement, around: readonly OpenElement[]): ReferenceRole {
  if (name !== 'uri') return 'texture';
  const parent = around.at(-2)?.name;
  if (parent === 'include') return 'model';
  return parent === 'script' ? 'data' : parent === 'heightmap' ? 'texture' : 'mesh';
}
