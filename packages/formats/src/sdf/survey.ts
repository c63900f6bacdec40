import type { Reference, ReferenceRole } from '../files/resolve.ts';
import { type OpenElement, scanXml } from '../files/xml.ts';
import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';

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
/** The value of `normal_map` that stands for none (sdformat.org/spec: shader). */
const NO_NORMAL_MAP = '__default__';

/** Reads a model or a world in SDFormat. Files named by plugins are ignored. */
export function surveySdf(file: BoundedFile): Survey {
  const references: Reference[] = [];
  let isComplete = false;
  let isWorld = false;
  scanXml(file.whole(MAX_XML_BYTES), {
    open({ name }, { length: depth }) {
      if (name === 'link' || name === 'include' || name === 'model') isComplete = true;
      if (name === 'world' && depth === 1) isWorld = true;
    },
    text(text, around) {
      const element = around.at(-1);
      if (element === undefined || !TEXTS.has(element.name) || COLOR.test(text) || text === NO_NORMAL_MAP)
        return;
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
