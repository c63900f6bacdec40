import type { Reference, ReferenceRole } from '../files/resolve.ts';
import { type OpenElement, scanXml } from '../files/xml.ts';
import type { Format } from '../format.ts';
import { named } from '../named.ts';
import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';
import { isComputed } from '../xacro/survey.ts';

export const urdf = {
  name: 'urdf',
  preference: 20,
  family: 'robot',
  extensions: ['urdf'],
  mediaTypes: { urdf: 'application/xml' },
  spoken: ['urdf'],
  roots: ['robot'],
  survey: surveyUrdf,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readUrdfMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;

const ROLES: Readonly<Record<string, ReferenceRole>> = named({ mesh: 'mesh', texture: 'texture' });

/** Reads a robot in URDF (wiki.ros.org/urdf/XML), in any dialect that names its meshes by `filename` or `uri`. */
export function surveyUrdf(file: BoundedFile): Survey {
  const references: Reference[] = [];
  let isComplete = false;
  scanXml(file.whole(MAX_XML_BYTES), {
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
