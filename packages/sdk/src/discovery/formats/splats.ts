import {
  folderOf,
  MAX_PLY_HEADER_BYTES,
  type PlyHeader,
  parsePlyHeader,
  type Reference,
  UnreadableFileError,
} from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './facts.ts';

const MAX_DESCRIPTION = 4 * 1024 * 1024;
const SPLAT_BYTES = 32;

/** Reads the header of a PLY file, whose properties distinguish splats from meshes and point clouds. */
export function readPly(file: BoundedFileReader): FileFacts {
  let header: PlyHeader;
  try {
    header = parsePlyHeader(file.head(MAX_PLY_HEADER_BYTES));
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

/** Recognises the other splat formats by their first bytes or their size. */
export function readSplat(file: BoundedFileReader, extension: string): FileFacts {
  const [first = -1, second = -1] = file.head(2);
  const isZip = first === 0x50 && second === 0x4b;
  const isGzip = first === 0x1f && second === 0x8b;
  const certain =
    extension === 'splat'
      ? file.size > 0 && file.size % SPLAT_BYTES === 0
      : extension === 'sog'
        ? isZip
        : extension === 'spz'
          ? isGzip || new TextDecoder().decode(file.head(4)) === 'NGSP'
          : file.size >= 4096;
  return { type: 'splat', certain, references: [] };
}

/** Reads `meta.json` of SOG (the planes of one splat); null if it describes something else. */
export function readSog(file: BoundedFileReader): FileFacts | null {
  const meta = parseObject(file);
  if (meta === null || !('means' in meta)) return null;
  const references = Object.values(meta).flatMap((part: unknown): Reference[] =>
    typeof part === 'object' && part !== null && 'files' in part && Array.isArray(part.files)
      ? part.files.filter((name) => typeof name === 'string').map((text) => ({ text, role: 'data' }))
      : [],
  );
  return references.length === 0 ? null : { type: 'sog', certain: true, references };
}

/** Reads `lod-meta.json` of streamed SOG, which names a `meta.json` for each part. */
export function readLod(file: BoundedFileReader): FileFacts {
  const meta = parseObject(file);
  const names = Array.isArray(meta?.filenames) ? meta.filenames : [];
  const references = names
    .filter((name) => typeof name === 'string')
    .map((text): Reference => ({ text, role: 'include' }));
  return { type: 'lod', certain: meta !== null, references };
}

function parseObject(file: BoundedFileReader): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(file.whole(MAX_DESCRIPTION)));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof UnreadableFileError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether all planes of a splat are next to its description. */
export function hasAllPlanes(path: string, facts: FileFacts, has: (path: string) => boolean): boolean {
  return facts.references.every(({ text }) => has(`${folderOf(path)}${text}`));
}
