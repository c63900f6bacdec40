import type { LoadContext } from './context.ts';
import { baseName, extensionOf } from './files/paths.ts';
import type { FormatReader, WantedParts } from './format.ts';
import type { Picture } from './images/pixels.ts';
import { isSolid, mechanismOfScene, sceneOfMechanism } from './model/drawn-mechanism.ts';
import { multiply } from './model/matrix.ts';
import type { Mechanism } from './model/mechanism.ts';
import type { MeshFile, MeshOptions } from './model/mesh-file.ts';
import { partOf } from './model/part.ts';
import type { Scene, SplatCloud } from './model/scene.ts';
import { toMessageText } from './reading/asset-files.ts';
import { Unrenderable } from './reading/errors.ts';
import { formatNamed, formatOf } from './registry.ts';

/** The kind of a model, and the file that a viewer opens. */
export interface ModelEntry {
  readonly kind: string;
  readonly entry: string;
  /** The name of a link, a body, an object or a mesh of it; without one, the whole model is meant. */
  readonly part?: string | undefined;
}

/** A model as its reader returns it; of a Blender file, the preview that it carries. */
export type LoadedModel =
  | { readonly scene: Scene }
  | { readonly cloud: SplatCloud }
  | { readonly preview: Picture };

/** Reads a model of any kind, or a part of it, as it is drawn. @throws Unrenderable */
export async function readModel(
  { kind, entry, part }: ModelEntry,
  context: LoadContext,
): Promise<LoadedModel> {
  if (part !== undefined)
    return { scene: sceneOfMechanism(partOf(await readDrawn({ kind, entry }, context), part)) };
  const format = formatOf(extensionOf(entry));
  const known = format?.isSource ? format : formatNamed(kind);
  const reader = await known?.loadReader?.();
  if (reader?.readPreview) return { preview: await reader.readPreview(entry, context) };
  // An asset of this kind can be any PLY file; one without splats has a mesh or points.
  const cloud = await reader?.readSplats?.(entry, context);
  if (cloud !== undefined) return { cloud };
  if (reader?.readScene) return { scene: await reader.readScene(entry, context) };
  if (known?.loadMechanismReader)
    return { scene: sceneOfMechanism(await readDrawn({ kind, entry }, context)) };
  if (reader === undefined && kind !== 'mesh')
    throw new Unrenderable(`no thumbnails for assets of kind ${toMessageText(kind)}`);
  return { scene: await loadMesh(entry, context) };
}

/** Loads an asset of kind `mesh`; `isMoving`: with its animations, if its format has some. */
export async function loadMesh(entry: string, context: LoadContext, isMoving = false): Promise<Scene> {
  const format = formatOf(extensionOf(entry));
  const reader = await format?.loadReader?.();
  if (reader?.readScene) return reader.readScene(entry, context);
  const {
    instances,
    points,
    lines = [],
    upright,
    motion,
    animations,
  } = await meshIn(entry, reader, context, { byObject: false, isMoving });
  const standing = upright
    ? instances.map((instance) => ({ ...instance, transform: multiply(upright, instance.transform) }))
    : instances;
  return {
    up: format?.up ?? 'y',
    ...(format?.front && { front: format.front }),
    instances: standing,
    points,
    lines,
    ...(motion && { motion }),
    animations,
    unit: format?.isMetric ? 'm' : undefined,
  };
}

/** Reads a mesh in any format, determined by the file's extension. @throws Unrenderable */
export async function readMesh(path: string, context: LoadContext, options: MeshOptions): Promise<MeshFile> {
  return meshIn(path, await formatOf(extensionOf(path))?.loadReader?.(), context, options);
}

function meshIn(
  path: string,
  reader: FormatReader | undefined,
  context: LoadContext,
  options: MeshOptions,
): Promise<MeshFile> {
  if (reader?.readMesh) return reader.readMesh(path, context, options);
  throw new Unrenderable(`meshes in ${toMessageText(extensionOf(path) || path)} format are not drawn`);
}

/**
 * Reads what is drawn of a robot: its visuals or, if it has none, what collides. What it uses of packages that are not
 * there is missing. @throws Unrenderable
 */
export async function readDrawn(
  model: ModelEntry,
  context: LoadContext,
  { roles, ...wanted }: WantedParts = {},
): Promise<Mechanism> {
  const read = (roles: WantedParts['roles']) =>
    readMechanism(model, context, { ...wanted, roles, packages: 'absent' });
  if (roles !== undefined) return read(roles);
  const visuals = await read(['visual']);
  if (isSolid(visuals)) return visuals;
  const colliders = await read(['collision']);
  return isSolid(colliders) ? colliders : visuals;
}

/** Reads a model of any kind as bodies, joints and shapes. @throws Unrenderable for one that cannot be converted */
export async function readMechanism(
  { kind, entry }: ModelEntry,
  context: LoadContext,
  wanted?: WantedParts,
): Promise<Mechanism> {
  const format = kind === 'mesh' ? formatOf(extensionOf(entry)) : formatNamed(kind);
  const read = await format?.loadMechanismReader?.();
  if (read !== undefined) return read(entry, context, wanted);
  if (kind !== 'mesh') throw new Unrenderable(`cannot convert ${kind}`);
  return mechanismOfScene(baseName(entry).replace(/\.[^.]*$/, ''), await loadMesh(entry, context));
}
