import type { Reference } from '../files/resolve.ts';
import { asPlainText } from '../files/text.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import type { Format } from '../format.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { MAX_PLY_HEADER_BYTES, type PlyHeader, parsePlyHeader } from './header.ts';

export const ply = {
  name: 'ply',
  preference: 120,
  family: 'mesh',
  extensions: ['ply'],
  spoken: ['ply'],
  survey: surveyPly,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

/** Reads the header of a PLY file, whose properties distinguish splats from meshes and point clouds. */
export function surveyPly(file: BoundedFile): Survey {
  let header: PlyHeader;
  try {
    header = parsePlyHeader(asPlainText(file.head(MAX_PLY_HEADER_BYTES)));
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    return { type: 'splat', certain: false, references: [], warning: error.message };
  }
  const { elements, textures } = header;
  const isSplat = elements.some(({ properties }) => properties.some(({ name }) => SPLAT_PROPERTY.test(name)));
  const references = textures.map((text): Reference => ({ text, role: 'texture' }));
  return { type: isSplat ? 'splat' : 'ply', certain: true, references };
}

const SPLAT_PROPERTY = /^(?:f_dc_0|packed_position|scale_0|rot_0)$/;
