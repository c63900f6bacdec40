import { folderOf } from '../files/paths.ts';

/**
 * Returns the files that an `mtllib` statement of Wavefront OBJ names after its keyword. Names with spaces are written
 * as they are, so several files are told apart by their extensions.
 */
export function materialLibraries(statement: string): string[] {
  const names = statement.trim().split(/(?<=\.mtl)\s+/i);
  return names.every((name) => /\.mtl$/i.test(name)) ? names : [statement.trim()];
}

/** Options of texture statements, with the number of words that follow. */
const OPTIONS: Readonly<Record<string, number>> = {
  '-blendu': 1,
  '-blendv': 1,
  '-bm': 1,
  '-boost': 1,
  '-cc': 1,
  '-clamp': 1,
  '-imfchan': 1,
  '-mm': 2,
  '-o': 3,
  '-s': 3,
  '-t': 3,
  '-texres': 1,
  '-type': 1,
};
const NUMBER = /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i;

/** Returns the file that a texture statement of MTL names after its keyword and its options: `-s 1 1 1 wood.png`. */
export function textureOf(statement: string): string {
  const words = statement.split(/\s+/);
  let at = 0;
  for (let option = words[at]; option !== undefined; option = words[at]) {
    const arity = OPTIONS[option.toLowerCase()];
    if (arity === undefined) break;
    at++;
    // Of three numbers the last two are optional.
    for (let n = 0; n < arity && (arity === 1 || NUMBER.test(words[at] ?? '')); n++) at++;
  }
  return words.slice(at).join(' ');
}

/** The folders in which a material script of OGRE looks for its textures: its own, and `textures` next to that. */
export function materialTextureFolders(script: string): string[] {
  const own = folderOf(script);
  return [own, `${folderOf(own.slice(0, -1))}textures/`];
}
