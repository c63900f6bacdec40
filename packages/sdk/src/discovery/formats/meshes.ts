import {
  decodeText,
  decodeXml,
  GLB_HEAD,
  glbJson,
  isBinaryFbx,
  MAX_PCD_HEADER_BYTES,
  materialLibraries,
  parseOffHeader,
  parsePcdHeader,
  percentDecoded,
  pointLines,
  type Reference,
  readFbx,
  readVrml,
  scanXml,
  stlLayout,
  surveyUsd,
  textureOf,
  texturesOf,
  UnreadableFileError,
  vrmlReferences,
} from '@bindery/formats';
import { type BoundedFileReader, MAX_XML_BYTES } from '../file-reader.ts';
import type { FileFacts, SourceMetadata } from './facts.ts';

const MAX_URIS = 100_000;
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
    metadata: metadataOf(asset) ?? avatarMetadataOf(asRecord(document.extensions)),
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
const AVATAR_LICENSES: Readonly<Record<string, string>> = {
  CC0: 'CC0-1.0',
  CC_BY: 'CC-BY-4.0',
  CC_BY_NC: 'CC-BY-NC-4.0',
  CC_BY_SA: 'CC-BY-SA-4.0',
  CC_BY_NC_SA: 'CC-BY-NC-SA-4.0',
  CC_BY_ND: 'CC-BY-ND-4.0',
  CC_BY_NC_ND: 'CC-BY-NC-ND-4.0',
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Material files are named before the first faces that use them, in practice before the first vertex. */
const HEAD = 64 * 1024;
const STATEMENT = /^(?:v|vn|vt|f|o|g|usemtl|mtllib)[ \t]/m;

/** Reads Wavefront OBJ; `mtllib` names a material file. */
export function readObj(file: BoundedFileReader): FileFacts {
  const head = file.head(HEAD);
  const bytes = new TextDecoder('latin1').decode(head);
  const isUtf16 = bytes.slice(0, 4).includes('\0');
  const text = isUtf16 ? decodeText(head) : bytes;
  const references: Reference[] = [];
  for (const { words, line } of statementsOf(text, 'mtllib')) {
    const named = words.slice(1).join(' ');
    for (const text of materialLibraries(isUtf16 ? named : utf8(named)))
      references.push({ text, role: 'data', line });
  }
  return { type: 'obj', certain: STATEMENT.test(text), references };
}

const MAX_MTL_BYTES = 4 * 1024 * 1024;
/** Reads the materials of an OBJ file; `map_…` and similar statements name textures. */
export function readMtl(file: BoundedFileReader): FileFacts {
  const text = new TextDecoder('latin1').decode(file.whole(MAX_MTL_BYTES));
  const references: Reference[] = [];
  for (const { words, line } of statements(text)) {
    if (!/^(?:map_\w+|bump|disp|decal|refl|norm)$/i.test(words[0] ?? '')) continue;
    const name = textureOf(words.slice(1).join(' '));
    if (name !== '') references.push({ text: utf8(name), role: 'texture', line });
  }
  return { type: 'mtl', certain: true, references };
}

function* statements(text: string): Generator<{ words: string[]; line: number }> {
  let line = 0;
  for (const row of text.split('\n')) {
    line++;
    const trimmed = row.trim();
    if (/^[a-z]/i.test(trimmed) && !/^(?:v|vn|vt|vp|f|l|p)\s/.test(trimmed)) {
      yield { words: trimmed.split(/\s+/), line };
    }
  }
}

/** Finds the statements with this keyword without splitting the many lines of a mesh that have others. */
function* statementsOf(text: string, keyword: string): Generator<{ words: string[]; line: number }> {
  let line = 1;
  let next = 0;
  for (let at = text.indexOf(keyword); at >= 0; at = text.indexOf(keyword, next)) {
    const start = text.lastIndexOf('\n', at) + 1;
    for (let end = text.indexOf('\n', next); end >= 0 && end < start; end = text.indexOf('\n', end + 1))
      line++;
    const end = text.indexOf('\n', at);
    next = end < 0 ? text.length : end + 1;
    const words = text.slice(start, next).trim().split(/\s+/);
    if (words[0] === keyword) yield { words, line };
    line++;
  }
}

/** Decodes a name as UTF-8. The text was read byte by byte, so that invalid UTF-8 affects only the name it is in. */
function utf8(latin1: string): string {
  const bytes = Uint8Array.from(latin1, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return latin1;
  }
}

const IMAGES = /<library_images\b[^<>]*(?<!\/)>[\s\S]*?(?:<\/library_images\s*>|$)/g;

/**
 * Reads COLLADA. Such a file is mostly numbers, so only its libraries of images are parsed: `<init_from>` with text in
 * 1.4, with a `<ref>` in 1.5. Surfaces and effects have elements of that name too, with ids of images.
 */
export function readCollada(file: BoundedFileReader): FileFacts {
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

/** Reads FBX. Of a binary file only the records of textures and their surroundings are read, not the meshes. */
export function readFbxModel(file: BoundedFileReader): FileFacts {
  const isBinary = isBinaryFbx(file.head(HEAD));
  const text = isBinary ? undefined : file.whole(4 * MAX_XML_BYTES);
  const document = readFbx({
    size: file.size,
    part: (start, length) => text?.subarray(start, start + length) ?? file.part(start, length),
  });
  const references = texturesOf(document).map((name): Reference => ({ text: name, role: 'texture' }));
  return { type: 'fbx', certain: true, references };
}

/** Reads VRML 2: pictures, and the parts that it is put together of. */
export function readVrmlModel(file: BoundedFileReader): FileFacts {
  const nodes = readVrml(file.whole(4 * MAX_XML_BYTES));
  return { type: 'vrml', certain: true, references: vrmlReferences(nodes) };
}

/** Recognises STL: a binary file is as long as its header says, and a text file begins with `solid`. */
export function readStl(file: BoundedFileReader): FileFacts {
  const head = file.head(512);
  const layout = stlLayout(head, file.size);
  const isText = /^\s*solid/i.test(new TextDecoder('latin1').decode(head));
  return { type: 'stl', certain: layout.binary || isText, references: [] };
}

/** Recognises OFF by its first words. */
export function readOff(file: BoundedFileReader): FileFacts {
  parseOffHeader(file.head(HEAD));
  return { type: 'off', certain: true, references: [] };
}

/** Recognises clouds of points: PCD by its header, texts by lines of numbers; null for other texts of that extension. */
export function readCloud(file: BoundedFileReader, extension: string): FileFacts | null {
  if (extension === 'pcd') parsePcdHeader(file.head(MAX_PCD_HEADER_BYTES));
  else if (pointLines(file.head(HEAD)) === undefined) return null;
  return { type: extension === 'pcd' ? 'pcd' : 'xyz', certain: true, references: [] };
}

const USD_MAGIC = /^(?:#usda|PXR-USDC|PK)/;

/** Reads USD as text, crate or archive, by its content and not by its extension. A damaged file is still one of USD. */
export function readUsd(file: BoundedFileReader): FileFacts {
  const isUsd = USD_MAGIC.test(new TextDecoder('latin1').decode(file.head(8)));
  try {
    const { references, hasJoints, title } = surveyUsd(file, file.path);
    const metadata = title === undefined ? undefined : { title };
    return { type: 'usd', certain: true, references, hasJoints: hasJoints || undefined, metadata };
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    return { type: 'usd', certain: isUsd, references: [], warning: error.message };
  }
}

/** Reads a MaterialX document: its pictures, in folders that elements around them can name, and what it includes. */
export function readMaterialX(file: BoundedFileReader): FileFacts {
  const references: Reference[] = [];
  scanXml(file.whole(MAX_XML_BYTES), {
    open({ name, attributes, line }, above) {
      if (name === 'xi:include' && attributes.href)
        references.push({ text: attributes.href, role: 'include', line });
      if (attributes.type !== 'filename' || !attributes.value) return;
      const folder = [...above].reverse().find((one) => one.attributes.fileprefix !== undefined);
      const prefix = attributes.fileprefix ?? folder?.attributes.fileprefix ?? '';
      references.push({ text: `${prefix}${attributes.value}`, role: 'texture', line });
    },
  });
  return { type: 'materialx', certain: true, references };
}

const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

/** Reads a material script of OGRE, as used by Gazebo Classic: `texture <name>` names a picture somewhere nearby. */
export function readOgreMaterial(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.whole(MAX_SCRIPT_BYTES));
  const references = [...text.matchAll(/^[ \t]*texture[ \t]+(\S+)/gm)].map(
    ([, name = '']): Reference => ({ text: name, role: 'texture' }),
  );
  return { type: 'ogre-material', certain: true, references };
}
