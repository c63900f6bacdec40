import { extensionOf } from '../../files/paths.ts';
import type { Reference, ReferenceRole } from '../../files/resolve.ts';
import { splitArchivePath, UsdArchive } from './archive.ts';
import type { ByteSource } from './byte-cursor.ts';
import { isArchive, readLayer } from './layer.ts';
import { arcEdits } from './list-edits.ts';
import {
  type Arc,
  type Field,
  isAsset,
  isDictionary,
  type Layer,
  type PrimSpec,
  type Spec,
  TimeSamples,
} from './values.ts';

/** What a file of USD says by itself, without what it refers to. */
export interface UsdSurvey {
  /** Layers and other files that it names, in all of its variants; each once. */
  readonly references: readonly Reference[];
  /** Whether it has joints that move. */
  readonly hasJoints: boolean;
  /** The name that its default prim has as an asset. */
  readonly title: string | undefined;
}

/** Properties that name the code of a shader; renderers look for names without a dot in front among their own. */
const SHADER = /^info:(?:id|(?:\w+:)?sourceAsset)$/;
const WITHOUT_FOLDER = /^\w[\w/.-]*$/;
const MOVING_JOINT = /^Physics(?:Revolute|Prismatic|Spherical|Distance)?Joint$/;

/** Reads what a file names. Of a crate and of an archive only tables are read. Throws `UnreadableFileError`. */
export function surveyUsd(source: ByteSource, path: string): UsdSurvey {
  if (!isArchive(source)) return surveyLayer(readLayer(source, path));
  const archive = new UsdArchive(source);
  // What is in an archive refers to what is in it, too.
  return { ...surveyLayer(readLayer(archive.open(archive.entry), path)), references: [] };
}

function surveyLayer(layer: Layer): UsdSurvey {
  const found = new Map<string, Reference>();
  let hasJoints = false;
  const add = ({ asset, line }: Pick<Arc, 'asset' | 'line'>, role?: ReferenceRole, isStock?: true) => {
    const text = fileOf(asset);
    if (text === '' || found.has(text)) return;
    found.set(text, { text, role: role ?? roleOf(text), line, ...(isStock && { isStock }) });
  };
  for (const arc of layer.subLayers) add(arc, 'include');
  const pending: PrimSpec[] = [layer.root];
  for (let prim = pending.pop(); prim !== undefined; prim = pending.pop()) {
    for (const arc of arcsOf(prim)) add(arc, 'include');
    forEachAsset(prim.get('clips'), add);
    for (const [name, property] of prim.properties) {
      if (!isOfAssets(property)) continue;
      const addValue = (asset: Pick<Arc, 'asset' | 'line'>) =>
        SHADER.test(name)
          ? add(asset, 'data', WITHOUT_FOLDER.test(asset.asset) ? true : undefined)
          : add(asset);
      forEachAsset(property.get('default'), addValue);
      forEachAsset(property.get('timeSamples'), addValue);
    }
    const type = prim.get('typeName');
    hasJoints ||= typeof type === 'string' && MOVING_JOINT.test(type);
    for (const variants of prim.variantSets.values()) pending.push(...variants.values());
    pending.push(...prim.children.values());
  }
  return { references: [...found.values()], hasJoints, title: titleOf(layer) };
}

function isOfAssets(property: Spec): boolean {
  const type = property.get('typeName');
  return type === 'asset' || type === 'asset[]';
}

function* arcsOf(prim: PrimSpec): Generator<Arc> {
  for (const field of ['references', 'payload']) {
    for (const arc of arcEdits(prim.get(field))?.everything ?? []) if (arc.asset !== '') yield arc;
  }
}

function forEachAsset(field: Field | undefined, visit: (asset: Pick<Arc, 'asset' | 'line'>) => void): void {
  if (isAsset(field)) visit(field);
  else if (field instanceof TimeSamples)
    for (const index of field.times.keys()) forEachAsset(field.at(index), visit);
  else if (Array.isArray(field)) for (const item of field) isAsset(item) && visit(item);
  else if (isDictionary(field)) for (const value of Object.values(field)) forEachAsset(value, visit);
}

/** The file that an asset path means: without what is inside of an archive, and without arguments for its format. */
function fileOf(asset: string): string {
  if (asset.startsWith('anon:') || asset.startsWith('`')) return '';
  return splitArchivePath(asset.replace(/:SDF_FORMAT_ARGS:.*$/s, '')).file;
}

function roleOf(text: string): ReferenceRole {
  return /^usd[acz]?$/.test(extensionOf(text)) ? 'include' : 'texture';
}

function titleOf({ root }: Layer): string | undefined {
  const name = root.get('defaultPrim');
  const info = typeof name === 'string' ? root.children.get(name)?.get('assetInfo') : undefined;
  const title = isDictionary(info) ? info.name : undefined;
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}
