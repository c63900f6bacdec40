import { xmlRoot } from '../files/xml.ts';
import type { Format } from '../format.ts';
import type { BoundedFile, Survey } from '../survey.ts';

const HEAD = 4096;

/** The Additive Manufacturing File Format, ISO/ASTM 52915: XML, or a ZIP archive with that as its only file. */
export const amf = {
  name: 'amf',
  preference: 95,
  family: 'mesh',
  extensions: ['amf'],
  up: 'z',
  front: '-y',
  isMetric: true,
  survey(file: BoundedFile): Survey {
    const head = file.head(HEAD);
    const isZip = head[0] === 0x50 && head[1] === 0x4b;
    return { type: 'amf', certain: isZip || xmlRoot(head) === 'amf', references: [] };
  },
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
