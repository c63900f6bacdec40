import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DESCRIPTION_FILE, parseDescription } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { folderOfModel } from '../models.ts';
import { describeBareExport } from './bare-export.ts';
import { hashOf } from './hash.ts';
import type { ModelSource } from './source.ts';
import { writeAt } from './write-at.ts';

/**
 * Reads a model from a folder on this machine: one with a `model.json`, another machine's model folder, or the bare
 * export of a model that is known by name. There is nothing to verify bare files against, so they are taken as found.
 */
export function folderSource(given: string): ModelSource {
  let folder = given;
  let paths: ReadonlyMap<string, string> = new Map();
  return {
    async describe(id) {
      const names = await readdir(folder).catch((cause) => {
        throw unreadable(folder, cause);
      });
      for (const place of [given, folderOfModel(given, id)]) {
        const file = join(place, DESCRIPTION_FILE);
        const bytes = await readFile(file).catch(unlessAbsent);
        if (bytes === null) continue;
        folder = place;
        return parseDescription(bytes, file);
      }
      const inner = await readdir(join(folder, 'onnx')).catch(() => []);
      const bare = await describeBareExport(id, {
        where: folder,
        paths: [...names, ...inner.map((name) => `onnx/${name}`)],
        measure: (path) => measure(join(folder, path)),
      });
      paths = bare.paths;
      return bare.description;
    },
    async copy({ name }, part, offset, arrived) {
      const path = join(folder, paths.get(name) ?? name);
      const file = await open(path).catch((cause) => {
        throw unreadable(path, cause);
      });
      let at = offset;
      for await (const chunk of file.createReadStream({ start: at })) {
        await writeAt(part, chunk, at);
        at += chunk.length;
        arrived(chunk.length);
      }
    },
  };
}

function unreadable(path: string, cause: NodeJS.ErrnoException): EncoderError {
  return new EncoderError('missing', `${path} ${UNREADABLE[cause.code ?? ''] ?? cause.message}.`, { cause });
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not a folder',
  EACCES: 'cannot be read',
};

function unlessAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

async function measure(file: string): Promise<{ size: number; sha256: string }> {
  return { size: (await stat(file)).size, sha256: await hashOf(file) };
}
