import type { Reference } from '../files/resolve.ts';
import { percentDecoded } from '../files/text.ts';
import { decodeXml, scanXml } from '../files/xml.ts';
import type { Format } from '../format.ts';
import { type BoundedFile, MAX_XML_BYTES, type Survey } from '../survey.ts';

export const collada = {
  name: 'collada',
  preference: 70,
  family: 'mesh',
  extensions: ['dae'],
  mediaTypes: { dae: 'model/vnd.collada+xml' },
  spoken: ['collada', 'dae'],
  isMetric: true,
  survey: surveyCollada,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

const IMAGES = /<library_images\b[^<>]*(?<!\/)>[\s\S]*?(?:<\/library_images\s*>|$)/g;

/**
 * Reads COLLADA. Such a file is mostly numbers, so only its libraries of images are parsed: `<init_from>` with text in
 * 1.4, with a `<ref>` in 1.5. Surfaces and effects have elements of that name too, with ids of images.
 */
export function surveyCollada(file: BoundedFile): Survey {
  const text = decodeXml(file.whole(4 * MAX_XML_BYTES));
  const references: Reference[] = [];
  for (const [library] of text.matchAll(IMAGES)) {
    scanXml(new TextEncoder().encode(library), {
      open() {},
      text(written, around) {
        const element = around.at(-1)?.name;
        const name = percentDecoded(written);
        if (element !== 'init_from' && element !== 'ref') return;
        if (!name.startsWith('data:')) references.push({ text: name, role: 'texture' });
      },
    });
  }
  return { type: 'collada', certain: /<COLLADA[\s>]/.test(text.slice(0, 64 * 1024)), references };
}
