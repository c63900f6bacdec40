import { decodeText, type Reference } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './format.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a material script of OGRE, as used by Gazebo Classic: `texture <name>` names a picture somewhere nearby. */
export function readOgreMaterial(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.whole(MAX_BYTES));
  const references = [...text.matchAll(/^[ \t]*texture[ \t]+(\S+)/gm)].map(
    ([, name = '']): Reference => ({ text: name, role: 'texture' }),
  );
  return { type: 'ogre-material', certain: true, references };
}
