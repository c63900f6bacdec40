import { folderOf, stemOf } from '@bindery/formats/files/paths';
import type { SimReady } from '@bindery/formats/model/sim-ready';
import { toMessageText } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { zipSync } from 'fflate';
import {
  type Conversion,
  type ConversionTarget,
  convertModel,
  LIMITS,
  type ModelToConvert,
  writeModel,
} from './convert/convert.ts';
import { createRendererContext } from './host/renderer-context.ts';
import { triedProp } from './make-prop.ts';

/** What an asset can be converted to; `mjz` is MJCF in an archive that MuJoCo opens. */
export type AssetFormat = ConversionTarget | 'mjz';

/**
 * Converts an asset. One that has the format already stays as it is; `simReady` makes a rigid body of a mesh.
 *
 * @throws Unrenderable for a model that cannot be converted, and for a conversion whose proof does not hold.
 */
export async function convertAsset(
  model: ModelToConvert,
  as: AssetFormat,
  simReady?: SimReady,
): Promise<Conversion> {
  const target = as === 'mjz' ? 'mjcf' : as;
  const hasFormat = model.kind === target || (target === 'glb' && model.format === 'glb');
  const conversion =
    simReady !== undefined
      ? await propOf(model, target, simReady)
      : hasFormat
        ? await unchanged(model)
        : await converted(model, target);
  return as === 'mjz' ? packMjz(conversion) : conversion;
}

async function unchanged({ entry, files }: ModelToConvert): Promise<Conversion> {
  const read = new Map<string, Uint8Array>();
  for (const path of files.sizes.keys()) read.set(path, await files.read(path));
  return { entry, files: read, losses: [], proof: [] };
}

async function propOf(
  { kind, entry, files }: ModelToConvert,
  target: ConversionTarget,
  simReady: SimReady,
): Promise<Conversion> {
  if (kind !== 'mesh')
    throw new Unrenderable(`only a mesh is made ready to be simulated, and this is ${kind}`);
  if (target === 'glb') throw new Unrenderable('glTF has no rigid bodies');
  const name = stemOf(entry);
  const { mechanism, proof } = await triedProp(
    entry,
    { ...simReady, name },
    createRendererContext(files, LIMITS),
  );
  const conversion = await writeModel(mechanism, target);
  return { ...conversion, proof: [...conversion.proof, ...proof] };
}

async function converted(model: ModelToConvert, target: ConversionTarget): Promise<Conversion> {
  const conversion = await convertModel({ ...model, target });
  const outside = [...conversion.files.keys()].find((path) => !isInside(path));
  if (outside !== undefined) throw new Unrenderable(`${toMessageText(outside)} is no path for a file`);
  return conversion;
}

function isInside(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split('/').every((name) => !['', '.', '..'].includes(name));
}

/** Packs a model with its files, the folder of the model as the root, where MuJoCo looks for `model.xml`. */
function packMjz({ entry, files, losses, proof }: Conversion): Conversion {
  const root = folderOf(entry);
  const packed: Record<string, Uint8Array> = {};
  for (const [path, bytes] of files) {
    if (!path.startsWith(root)) {
      throw new Unrenderable(
        `${toMessageText(path)} is not in the folder of the model, as MuJoCo's archives want`,
      );
    }
    packed[path.slice(root.length)] = bytes;
  }
  const model = packed['model.xml'];
  if (model !== undefined && files.get(entry) !== model)
    throw new Unrenderable('the folder of the model has another model.xml');
  packed['model.xml'] ??= files.get(entry) ?? new Uint8Array();
  const name = `${stemOf(entry)}.mjz`;
  return { entry: name, files: new Map([[name, packZip(packed)]]), losses, proof };
}

/** Makes one file of a conversion: the only one that it has, or a ZIP archive. */
export function packConversion({ entry, files, ...rest }: Conversion): Conversion {
  if (files.size === 1) return { entry, files, ...rest };
  const name = `${stemOf(entry)}.zip`;
  return { entry: name, files: new Map([[name, packZip(Object.fromEntries(files))]]), ...rest };
}

/** The same bytes for the same files; not compressed, as most meshes and pictures hardly shrink. */
function packZip(files: Record<string, Uint8Array>): Uint8Array {
  return zipSync(files, { level: 0, mtime: new Date(1980, 0, 1) });
}
