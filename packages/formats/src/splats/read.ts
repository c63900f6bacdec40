import type { LoadContext } from '../context.ts';
import { extensionOf } from '../files/paths.ts';
import type { FormatReader } from '../format.ts';
import type { SplatCloud } from '../model/scene.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { SplatCloudBuilder } from './cloud.ts';
import { loadGltfSplats } from './gltf.ts';
import { loadKsplat } from './ksplat.ts';
import { loadPlySplats } from './ply.ts';
import { loadSog, loadSogArchive } from './sog.ts';
import { loadSpz } from './spz.ts';
import { isLodIndex, loadStreamedSog } from './streamed-sog.ts';

export const reader: FormatReader = { readSplats: loadSplats };

/** Loads an asset of kind `splat`; the entry's extension determines the format. Undefined for a PLY without splats. */
export async function loadSplats(entry: string, context: LoadContext): Promise<SplatCloud | undefined> {
  const { files, budget } = context;
  switch (extensionOf(entry)) {
    case 'ply':
      return loadPlySplats(await files.read(entry), budget);
    case 'splat':
      return loadSplat(await files.read(entry), budget);
    case 'ksplat':
      return loadKsplat(await files.read(entry), budget);
    case 'spz':
      return loadSpz(await files.read(entry), budget);
    case 'glb':
    case 'gltf':
      return loadGltfSplats(entry, context);
    case 'json':
      return isLodIndex(entry) ? loadStreamedSog(entry, context) : loadSog(entry, context);
    case 'sog':
      return loadSogArchive(entry, context);
    default:
      throw new Unrenderable(
        `no thumbnails for splats in ${toMessageText(extensionOf(entry) || entry)} format`,
      );
  }
}

const RECORD_BYTES = 32;

/** `.splat`: records of position, scale (three 32-bit floats each), RGBA and rotation w, x, y, z (four bytes each). */
function loadSplat(bytes: Uint8Array, budget: Budget): SplatCloud {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const builder = new SplatCloudBuilder(Math.floor(bytes.byteLength / RECORD_BYTES), budget);
  for (let splat = 0, at = 0; at + RECORD_BYTES <= bytes.byteLength; splat++, at += RECORD_BYTES) {
    const float = (index: number) => view.getFloat32(at + index * 4, true);
    const byte = (index: number) => view.getUint8(at + 24 + index);
    builder.position(splat, float(0), float(1), float(2));
    builder.scale(splat, float(3), float(4), float(5));
    builder.color(splat, byte(0) / 255, byte(1) / 255, byte(2) / 255, byte(3) / 255);
    builder.rotation(splat, byte(5) - 127.5, byte(6) - 127.5, byte(7) - 127.5, byte(4) - 127.5);
  }
  return builder.fromYDown();
}
