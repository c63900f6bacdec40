import { folderOf } from './paths.ts';

/**
 * Returns the files that an `mtllib` statement of Wavefront OBJ names after its keyword. Names with spaces are written
 * as they are, so several files are told apart by their extensions.
 */
export function materialLibraries(statement: string): string[] {
  const names = statement.match(/\S(?:.*?\S)??\.mtl(?=\s|$)/gi);
  return names === null || names.join(' ').length < statement.trim().replace(/\s+/g, ' ').length
    ? [statement.trim()]
    : names;
}

/** The folders in which a material script of OGRE looks for its textures: its own, and `textures` next to that. */
export function materialTextureFolders(script: string): string[] {
  const own = folderOf(script);
  return [own, `${folderOf(own.slice(0, -1))}textures/`];
}
