import {
  CERTIFICATES_FOLDER,
  composeManifest,
  MANIFEST_SCHEMA,
  MAX_JSON,
  type Manifest,
  type ManifestLibrary,
} from '@bindery/contract';
import { eachRun, mergeRows } from '../../../revision/splice/rows.ts';
import { encodeTextColumn, TextColumn } from '../../../revision/text-column.ts';
import type { SpliceJob } from '../revision-workers.ts';

/** The bytes of a manifest, and what must be known of them to change it. */
interface ReadManifest {
  bytes: Buffer;
  /** Where the text of each asset starts and ends. */
  starts: Uint32Array;
  ends: Uint32Array;
  generated: string[] | undefined;
  /** How many objects and lists, and how many keys it has. */
  containers: number;
  keys: number;
}

const GENERATED = '],"generated":';

/**
 * Finds the assets of a valid manifest without parsing them. Null if it is written otherwise than clients and the service
 * write it: as compact JSON, with assets in the order of these ids, which come first in each.
 */
export function readManifest(
  text: Uint8Array,
  library: ManifestLibrary,
  ids: TextColumn,
): ReadManifest | null {
  const bytes = Buffer.from(text.buffer as ArrayBuffer, text.byteOffset, text.byteLength);
  const found = findAssets(bytes, ids.length);
  if (found === null) return null;
  const { starts, ends } = found;
  const head = bytes.toString('utf8', 0, starts[0]);
  if (![headOf(library), headOf(undefined)].includes(head)) return null;
  for (let asset = 0; asset < ids.length; asset++) {
    const [start, beginning] = [starts[asset] as number, `{"id":"${ids.at(asset)}"`];
    if (bytes.toString('latin1', start, start + beginning.length) !== beginning) return null;
    if (asset > 0 && start !== (ends[asset - 1] as number) + 1) return null;
  }
  const tail = bytes.toString('utf8', ends.at(-1));
  if (tail === ']}') return { ...found, bytes, generated: undefined };
  return tail.startsWith(GENERATED) ? { ...found, bytes, ...JSON.parse(`{${tail.slice(2)}`) } : null;
}

function headOf(library: ManifestLibrary | undefined): string {
  return JSON.stringify({ schema: MANIFEST_SCHEMA, library, assets: [] }).slice(0, -2);
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const ASSETS = '"assets":';

/** Returns where the objects in the list `assets` are, if they are this many, and at least one. */
function findAssets(bytes: Buffer, count: number): Omit<ReadManifest, 'bytes' | 'generated'> | null {
  const [starts, ends] = [new Uint32Array(count), new Uint32Array(count)];
  let [depth, found, containers, keys, inAssets] = [0, 0, 0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
        break;
      case COLON:
        keys++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        containers++;
        if (depth === 1) inAssets = bytes.toString('latin1', at - ASSETS.length, at) === ASSETS;
        else if (depth === 2 && inAssets) starts[found] = at;
        depth++;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        if (depth === 2 && inAssets) ends[found++] = at + 1;
        break;
    }
  }
  return found === count && count > 0 ? { starts, ends, containers, keys } : null;
}

/** Whether the manifest and further entries, of so many characters, are within the limits of JSON. */
export function isWithinLimits({ containers, keys }: ReadManifest, characters: number): boolean {
  // An object or a list has at least two characters, a key four.
  return containers + characters / 2 <= MAX_JSON.containers && keys + characters / 4 <= MAX_JSON.keys;
}

interface AppliedChanges {
  /** The entries that are new or changed, and all paths of artifacts. */
  changed: Manifest;
  /** The assets that are gone or changed. */
  notKept: ReadonlySet<number>;
}

/** Applies changes without reading what they do not name. An asset whose certificate comes or goes counts as changed. */
export function applyChanges(
  { bytes, starts, ends, generated }: ReadManifest,
  ids: TextColumn,
  library: ManifestLibrary,
  changes: SpliceJob['changes'],
): AppliedChanges {
  const placesOf = (names: readonly string[]) =>
    names.map((id) => ids.indexOf(id)).filter((asset) => asset >= 0);
  const artifacts = [...(changes.generated?.added ?? []), ...(changes.generated?.removed ?? [])];
  const certificates = artifacts.filter((path) => path.startsWith(CERTIFICATES_FOLDER));
  const certified = new Set(
    placesOf(certificates.map((path) => path.slice(CERTIFICATES_FOLDER.length, path.lastIndexOf('.')))),
  );
  const assets = Array.from(certified, (asset) =>
    JSON.parse(bytes.toString('utf8', starts[asset], ends[asset])),
  );
  const named = placesOf([...(changes.assets ?? []).map(({ id }) => id), ...(changes.removed ?? [])]);
  return {
    changed: composeManifest({ schema: MANIFEST_SCHEMA, library, assets, generated }, changes),
    notKept: new Set([...certified, ...named]),
  };
}

/** Returns the bytes of the manifest with its changes. */
export function spliceManifest(
  { bytes, starts, ends }: ReadManifest,
  ids: TextColumn,
  { changed: { assets, generated }, notKept }: AppliedChanges,
): Uint8Array {
  const names = assets.map(({ id }) => id);
  const changed = new TextColumn(encodeTextColumn('ids', names), 'ids');
  const rows = mergeRows({ earlier: ids, changed }, (asset) => !notKept.has(asset));
  const pieces: Uint8Array[] = [bytes.subarray(0, starts[0])];
  eachRun(rows, (side, first, end, place) => {
    if (place > 0) pieces.push(Buffer.from(','));
    if (side === 'earlier') pieces.push(bytes.subarray(starts[first], ends[end - 1]));
    else pieces.push(Buffer.from(JSON.stringify(assets[first])));
  });
  pieces.push(Buffer.from(generated ? `${GENERATED}${JSON.stringify(generated)}}` : ']}'));
  const made = Buffer.concat(pieces);
  // Small buffers share memory, which cannot be transferred.
  return made.length === made.buffer.byteLength ? made : new Uint8Array(made);
}
