import { compareUtf8, DEFAULT_KIND, LIMITS, type ManifestEntryPoint } from '@bindery/contract';
import { baseName, depthOf, extensionOf, folderOf, stemOf } from './paths.ts';
import { xmlRoot } from './xml-root.ts';

/** What a viewer needs to open an asset. */
export interface Appearance {
  kind: string;
  format?: string | undefined;
  entry?: string | undefined;
  entryPoints?: Record<string, ManifestEntryPoint> | undefined;
}

/** The files of an asset, and a way to look at the beginning of one. */
export interface AssetFiles {
  paths: readonly string[];
  thumbnail: string | undefined;
  /** The text of the first bytes, all of them where there are fewer. */
  readHead(path: string, bytes: number): string;
}

/** XML files begin with a licence now and then; the descriptions of splats hold tables. */
const XML_HEAD = 64 * 1024;
const SPLAT_DESCRIPTION = 4 * 1024 * 1024;

const FAMILIES: Record<string, ReadonlySet<string>> = {
  mesh: new Set(['glb', 'gltf', 'obj', 'stl']),
  splat: new Set(['ply', 'splat', 'spz', 'ksplat', 'sog']),
  image: new Set(['png', 'jpg', 'jpeg', 'webp']),
};

/** The kind of an asset with its format, entry and entry points: the first rule that matches. */
export function appearanceOf(files: AssetFiles, wantedKind?: string): Appearance {
  const rules = [mjcf, urdf, splatFolder, onlyOf('mesh'), onlyOf('splat'), onlyOf('image')];
  for (const rule of rules) {
    const found = rule(files);
    if (found !== null && (wantedKind === undefined || found.kind === wantedKind)) return found;
  }
  return { kind: wantedKind ?? DEFAULT_KIND };
}

type Rule = (files: AssetFiles) => Appearance | null;

const mjcf: Rule = ({ paths, readHead }) => {
  const models = paths.filter(
    (path) => extensionOf(path) === 'xml' && xmlRoot(readHead(path, XML_HEAD)) === 'mujoco',
  );
  return described('mjcf', models, isScene);
};

const urdf: Rule = ({ paths, readHead }) => {
  const models = paths.filter((path) => {
    const extension = extensionOf(path);
    return extension === 'urdf' || (extension === 'xml' && xmlRoot(readHead(path, XML_HEAD)) === 'robot');
  });
  return described('urdf', models, () => false);
};

const splatFolder: Rule = ({ paths, readHead }) => {
  const present = new Set(paths);
  const byDepth = [...paths].sort(shallowFirst);
  const lod = byDepth.find((path) => baseName(path) === 'lod-meta.json');
  if (lod !== undefined) return { kind: 'splat', format: 'lod', entry: lod };
  const sog = byDepth.find(
    (path) =>
      baseName(path) === 'meta.json' && hasItsPlanes(path, readHead(path, SPLAT_DESCRIPTION), present),
  );
  return sog === undefined ? null : { kind: 'splat', format: 'sog', entry: sog };
};

/** Exactly one file of a family; the thumbnail counts only where it is the one picture. */
function onlyOf(family: string): Rule {
  return ({ paths, thumbnail }) => {
    const members = paths.filter((path) => FAMILIES[family]?.has(extensionOf(path)));
    const candidates = members.length > 1 ? members.filter((path) => path !== thumbnail) : members;
    const [entry] = candidates;
    if (entry === undefined || candidates.length > 1) return null;
    return { kind: family, format: extensionOf(entry), entry };
  };
}

/** A kind of which an asset may hold several models: one is the entry, and where there are more, all are entry points. */
function described(kind: string, models: string[], scene: (path: string) => boolean): Appearance | null {
  const ordered = models.sort((a, b) => Number(scene(b)) - Number(scene(a)) || shallowFirst(a, b));
  const [entry] = ordered;
  if (entry === undefined) return null;
  const format = extensionOf(entry);
  if (ordered.length === 1) return { kind, format, entry };
  return { kind, format, entry, entryPoints: entryPointsFor(ordered, scene) };
}

function entryPointsFor(
  models: string[],
  scene: (path: string) => boolean,
): Record<string, ManifestEntryPoint> {
  const shown = models.slice(0, LIMITS.manifest.entryPoints).sort(compareUtf8);
  const stems = shown.map(stemOf);
  const names = shown.map((path, at) => {
    const stem = stemOf(path);
    const unique = stems.indexOf(stem) === at && stems.lastIndexOf(stem) === at;
    return (unique ? stem : path).slice(-64);
  });
  return Object.fromEntries(
    shown.map((file, at) => [names[at], { kind: scene(file) ? 'scene' : 'model', file }]),
  );
}

function isScene(path: string): boolean {
  return baseName(path).toLowerCase().startsWith('scene');
}

function shallowFirst(a: string, b: string): number {
  return depthOf(a) - depthOf(b) || compareUtf8(a, b);
}

/** Whether a `meta.json` describes a splat whose planes (pictures) lie beside it. */
function hasItsPlanes(path: string, text: string, present: ReadonlySet<string>): boolean {
  let meta: unknown;
  try {
    meta = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof meta !== 'object' || meta === null || !('means' in meta)) return false;
  const planes = Object.values(meta).flatMap((part: unknown) =>
    typeof part === 'object' && part !== null && 'files' in part && Array.isArray(part.files)
      ? part.files
      : [],
  );
  return planes.length > 0 && planes.every((plane) => present.has(`${folderOf(path)}${plane}`));
}
