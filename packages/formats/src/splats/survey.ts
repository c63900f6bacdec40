import { extensionOf } from '../files/paths.ts';
import type { Reference } from '../files/resolve.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import type { BoundedFile, Survey } from '../survey.ts';

const MAX_DESCRIPTION = 4 * 1024 * 1024;
const SPLAT_BYTES = 32;

/** Recognises the other splat formats by their first bytes or their size. */
export function surveySplats(file: BoundedFile): Survey {
  const extension = extensionOf(file.path);
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
export function surveySog(file: BoundedFile): Survey | null {
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
export function surveyLod(file: BoundedFile): Survey {
  const meta = parseObject(file);
  const names = Array.isArray(meta?.filenames) ? meta.filenames : [];
  const references = names
    .filter((name) => typeof name === 'string')
    .map((text): Reference => ({ text, role: 'include' }));
  return { type: 'lod', certain: meta !== null, references };
}

function parseObject(file: BoundedFile): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(file.whole(MAX_DESCRIPTION)));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof UnreadableFileError || error instanceof SyntaxError) return null;
    throw error;
  }
}
