import type { FileIndex } from '../files/file-index.ts';
import { folderOf } from '../files/paths.ts';
import type { Reference, ReferenceRole } from '../files/resolve.ts';
import { type Resolved, resolveReference } from '../files/resolve.ts';
import { type OpenElement, scanXml } from '../files/xml.ts';
import { named } from '../named.ts';
import type { MjcfFolders, Survey } from '../survey.ts';

/** Elements with attributes that name files. */
const ROLES: Readonly<Record<string, ReferenceRole>> = named({
  include: 'include',
  model: 'model',
  mesh: 'mesh',
  skin: 'mesh',
  flexcomp: 'mesh',
  hfield: 'data',
  texture: 'texture',
});
const CUBE_SIDES = ['fileright', 'fileleft', 'fileup', 'filedown', 'filefront', 'fileback'];
/** Elements with something to see. */
const SUBSTANCE: ReadonlySet<string> = new Set(['body', 'geom', 'include', 'attach', 'frame', 'replicate']);

/** Elements that are only in bodies. */
const IN_BODIES: ReadonlySet<string> = new Set([
  ...['body', 'geom', 'site', 'joint', 'freejoint', 'inertial', 'camera', 'light'],
  ...['frame', 'replicate', 'attach', 'composite', 'flexcomp'],
]);

/**
 * Reads a MuJoCo model. Files are named as written; where they are depends on the model that includes this one
 * (mujoco.readthedocs.io, XML reference, `compiler`).
 */
export function surveyMjcf(bytes: Uint8Array): Survey {
  const references: Reference[] = [];
  let folders: MjcfFolders = {};
  let isComplete = false;
  let root = '';
  const sections = new Set<string>();
  scanXml(bytes, {
    open({ name, attributes, line }, above) {
      if (above.length === 0) root = name;
      if (above.length === 1) sections.add(name);
      if (name === 'compiler') folders = { ...folders, ...foldersOf(attributes) };
      // Shapes among the defaults are settings for others.
      if (SUBSTANCE.has(name) && !above.some((element) => element.name === 'default')) isComplete = true;
      const role = ROLES[name];
      if (role === undefined) return;
      for (const key of name === 'texture' ? ['file', ...CUBE_SIDES] : ['file']) {
        const text = attributes[key];
        if (text) references.push({ text, role, line });
      }
    },
  });
  // MuJoCo itself reads no file that is only there to be included inside a body.
  const isPart = root === 'mujocoinclude' || (sections.size > 0 && sections.isSubsetOf(IN_BODIES));
  return { type: 'mjcf', certain: true, references, folders, isComplete, isPart };
}

function foldersOf({ meshdir, texturedir, assetdir, strippath }: OpenElement['attributes']): MjcfFolders {
  return Object.fromEntries(
    Object.entries({ meshdir, texturedir, assetdir, strippath }).filter(([, value]) => value !== undefined),
  );
}

/** A reference of a model or of a file that it includes. */
export interface MjcfReference {
  /** The file that contains it. */
  readonly part: string;
  readonly reference: Reference;
  readonly resolved: Resolved;
  /** Where MuJoCo looks for it: below the folder of the files, or absolute. */
  readonly place: string;
}

/**
 * Returns the references of a MuJoCo model and of what it includes. They form one document, in which the last
 * `compiler` counts and files are relative to the including model. Every location that any version of MuJoCo has
 * searched is tried. `surveyOf` returns undefined for files that are no MJCF.
 */
export function followMjcf(
  files: FileIndex,
  model: string,
  surveyOf: (path: string) => Pick<Survey, 'references' | 'folders'> | undefined,
): MjcfReference[] {
  const followed: MjcfReference[] = [];
  const parts = [model];
  const seen = new Set(parts);
  let folders: MjcfFolders = {};
  for (const part of parts) {
    folders = { ...folders, ...surveyOf(part)?.folders };
    for (const reference of surveyOf(part)?.references ?? []) {
      if (reference.role !== 'include') continue;
      const bases = [folderOf(model), folderOf(part)];
      const resolved = resolveReference(files, model, reference.text, bases);
      followed.push({ part, reference, resolved, place: placeOf(bases[0] ?? '', '', reference.text) });
      if (!('path' in resolved) || seen.has(resolved.path)) continue;
      seen.add(resolved.path);
      parts.push(resolved.path);
    }
  }
  for (const part of parts) {
    for (const reference of surveyOf(part)?.references ?? []) {
      if (reference.role === 'include') continue;
      const text = folders.strippath === 'true' ? lastPart(reference.text) : reference.text;
      const named = namedFolders(folders, reference.role);
      const bases = [folderOf(model), folderOf(part)].flatMap((base) => [
        ...named.map((name) => `${base}${name}/`.replace(/\/{2,}/g, '/')),
        base,
      ]);
      const resolved = resolveReference(files, model, text, bases);
      followed.push({ part, reference, resolved, place: placeOf(folderOf(model), named[0] ?? '', text) });
    }
  }
  return followed;
}

function namedFolders(folders: MjcfFolders, role: ReferenceRole): string[] {
  const meshes = folders.meshdir ?? folders.assetdir;
  const textures = folders.texturedir ?? folders.assetdir;
  const named =
    role === 'mesh'
      ? [meshes]
      : role === 'texture'
        ? [textures]
        : role === 'data'
          ? [meshes, folders.texturedir]
          : [];
  return named.filter((name) => name !== undefined);
}

function placeOf(folder: string, named: string, text: string): string {
  if (isAbsolute(text)) return text.replaceAll('\\', '/');
  const inside = named === '' ? text : `${named}/${text}`;
  return (isAbsolute(named) ? inside : `${folder}${inside}`).replaceAll('\\', '/');
}

function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[a-z]:[/\\])/i.test(path);
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
