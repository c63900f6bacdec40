import { extensionOf } from '../files/paths.ts';
import type { Reference } from '../files/resolve.ts';
import { percentDecoded } from '../files/text.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import { named } from '../named.ts';
import type { BoundedFile, SourceMetadata, Survey } from '../survey.ts';
import { GLB_HEAD, glbJson } from './glb.ts';

const MAX_URIS = 100_000;
const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** Reads glTF 2.0 and 1.0, as JSON or in a binary container (whose JSON chunk comes first). */
export function surveyGltf(file: BoundedFile): Survey {
  const json = extensionOf(file.path) !== 'gltf' ? jsonOfGlb(file) : file.whole(MAX_JSON_BYTES);
  const document = asRecord(parseJson(json));
  const asset = asRecord(document?.asset);
  if (document === undefined || asset === undefined) throw new UnreadableFileError('holds no glTF document');
  return {
    type: usesSplats(document) ? 'splat' : 'gltf',
    certain: true,
    references: [...urisOf(document.buffers, 'data'), ...urisOf(document.images, 'texture')],
    metadata: metadataOf(asset) ?? avatarMetadataOf(asRecord(document.extensions)),
  };
}

function usesSplats({ extensionsUsed }: Record<string, unknown>): boolean {
  return Array.isArray(extensionsUsed) && extensionsUsed.includes('KHR_gaussian_splatting');
}

function jsonOfGlb(file: BoundedFile): Uint8Array {
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
  const entries: unknown[] = Object.values(list);
  if (entries.length > MAX_URIS) throw new UnreadableFileError(`names more than ${MAX_URIS} files`);
  return entries.flatMap((entry) => {
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

/** What an avatar (VRM 0 or 1) says about itself. */
function avatarMetadataOf(extensions: Record<string, unknown> | undefined): SourceMetadata | undefined {
  const meta = asRecord(asRecord(extensions?.VRMC_vrm)?.meta) ?? asRecord(asRecord(extensions?.VRM)?.meta);
  if (meta === undefined) return undefined;
  const listed = Array.isArray(meta.authors) ? meta.authors : [meta.author];
  const authors = listed.flatMap((author) => textOf(author) ?? []);
  const license = textOf(meta.licenseName) ?? textOf(meta.licenseUrl);
  return {
    title: textOf(meta.title) ?? textOf(meta.name),
    ...(authors.length > 0 && { authors }),
    license: AVATAR_LICENSES[license ?? ''] ?? textOf(meta.otherLicenseUrl) ?? license,
    url: textOf(meta.reference) ?? textOf(meta.contactInformation),
    attribution: textOf(meta.copyrightInformation),
  };
}

/** The licences that VRM 0 names, by their SPDX expressions. */
const AVATAR_LICENSES: Readonly<Record<string, string>> = named({
  CC0: 'CC0-1.0',
  CC_BY: 'CC-BY-4.0',
  CC_BY_NC: 'CC-BY-NC-4.0',
  CC_BY_SA: 'CC-BY-SA-4.0',
  CC_BY_NC_SA: 'CC-BY-NC-SA-4.0',
  CC_BY_ND: 'CC-BY-ND-4.0',
  CC_BY_NC_ND: 'CC-BY-NC-ND-4.0',
});

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
