import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Loss } from '@bindery/formats';
import { BinderyError } from '../failures.ts';

/** Bytes of all meshes: more would not fit in one text. */
const MAX_BYTES = 256 * 1024 * 1024;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.obj': 'model/obj',
  '.stl': 'model/stl',
  '.dae': 'model/vnd.collada+xml',
  '.glb': 'model/gltf-binary',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
};

interface Written {
  entry: string;
  files: readonly string[];
  losses: readonly Loss[];
}

/**
 * Makes a robot in URDF that was written into a folder one file, by data URIs in place of its meshes and textures. Throws
 * `BinderyError` (`conversion_refused`) for one that is too large.
 */
export function inlineMeshes(folder: string, asset: string, { entry, files, losses }: Written): Written {
  const parts = files.filter((file) => file !== entry);
  const contents = new Map(parts.map((file) => [file, readFileSync(join(folder, file))]));
  if (contents.values().reduce((sum, { length }) => sum + length, 0) > MAX_BYTES) {
    const reason = `its meshes have more than ${MAX_BYTES} bytes`;
    throw new BinderyError('conversion_refused', `${asset} does not fit in one file: ${reason}.`, {
      details: { asset, as: 'urdf', reason },
    });
  }
  const text = readFileSync(join(folder, entry), 'utf8').replace(
    /( filename=")([^"]*)"/g,
    (attribute, before: string, path: string) => {
      const bytes = contents.get(unescapeXml(path));
      const type = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
      return bytes ? `${before}data:${type};base64,${bytes.toString('base64')}"` : attribute;
    },
  );
  writeFileSync(join(folder, entry), text);
  for (const file of parts)
    rmSync(join(folder, file.split('/')[0] ?? file), { recursive: true, force: true });
  const painted = parts.filter((file) => /^mtllib /m.test(contents.get(file)?.toString('latin1') ?? ''));
  const lost: Loss[] = painted.map((file) => ({
    what: 'material',
    names: [file],
    why: 'a mesh in a data URI refers to no other file',
  }));
  return { entry, files: [entry], losses: [...losses, ...lost] };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
