import { GLB_HEAD, glbJson, percentDecoded, type Reference, UnreadableFileError } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { SourceMetadata } from '../metadata/source.ts';
import type { FileFacts } from './format.ts';

const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** Reads glTF 2.0 and 1.0, as JSON or in a binary container (whose JSON chunk comes first). */
export function readGltf(file: BoundedFileReader, isBinary: boolean): FileFacts {
  const json = isBinary ? jsonOfGlb(file) : file.whole(MAX_JSON_BYTES);
  const document = asRecord(parseJson(json));
  const asset = asRecord(document?.asset);
  if (document === undefined || asset === undefined) throw new UnreadableFileError('holds no glTF document');
  return {
    type: usesSplats(document) ? 'splat' : 'gltf',
    certain: true,
    references: [...urisOf(document.buffers, 'data'), ...urisOf(document.images, 'texture')],
    metadata: metadataOf(asset),
  };
}

function usesSplats({ extensionsUsed }: Record<string, unknown>): boolean {
  return Array.isArray(extensionsUsed) && extensionsUsed.includes('KHR_gaussian_splatting');
}

function jsonOfGlb(file: BoundedFileReader): Uint8Array {
  const { start, length } = glbJson(file.head(GLB_HEAD));
  if (length > MAX_JSON_BYTES) throw new UnreadableFileError('has too much JSON to be examined');
  return file.part(start, length);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new UnreadableFileError('holds no valid JSON');
  }
}

/** Returns the URIs in an array (2.0) or object (1.0). What is embedded (`data:`) or in the container has none. */
function urisOf(list: unknown, role: Reference['role']): Reference[] {
  if (typeof list !== 'object' || list === null) return [];
  return Object.values(list).flatMap((entry: unknown) => {
    const uri = asRecord(entry)?.uri;
    if (typeof uri !== 'string' || uri === '' || uri.startsWith('data:')) return [];
    return [{ text: percentDecoded(uri), role }];
  });
}

function metadataOf({ copyright, extras }: Record<string, unknown>): SourceMetadata | undefined {
  const { title, author, license, source } = asRecord(extras) ?? {};
  const found = {
    attribution: textOf(copyright),
    title: textOf(title),
    authors: textOf(author) === undefined ? undefined : [textOf(author) ?? ''],
    license: textOf(license),
    url: textOf(source),
  };
  return Object.values(found).some((value) => value !== undefined) ? found : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
