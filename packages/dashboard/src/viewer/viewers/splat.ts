import { extensionOf } from '@bindery/formats';
import { isLodIndex, type SplatCloud, TooLarge } from '@bindery/render/models';
import {
  PackedSplats,
  SparkRenderer,
  SplatFileType,
  SplatMesh,
  type SplatMeshOptions,
} from '@sparkjsdev/spark';
import * as THREE from 'three';
import { messages } from '../messages.ts';
import { splatHeader } from '../splats/headers.ts';
import { archiveOfFolder, countSogSplats, filesOfArchive } from '../splats/sog.ts';
import type { Stage } from '../stage/stage.ts';
import type { Viewer, ViewerInput } from '../viewer.ts';
import { sizeOf } from './axes.ts';
import { viewer as mesh } from './model.ts';
import { ModelClient } from './model-client.ts';

/** Gaussian splats, drawn by Spark, which is loaded with the first of them. */
export const viewer: Viewer = {
  async open(asset) {
    const file = isReadBySpark(asset.entry) ? await readForSpark(asset) : await readCloud(asset);
    // An asset of this kind may be any PLY file.
    if (file === undefined) return mesh.open(asset);
    if (file.count > asset.limits.splats)
      throw new TooLarge(`too large: more than ${asset.limits.splats} splats`);
    const stage = await asset.stage();
    const spark = new SparkRenderer({ renderer: stage.renderer, onDirty: () => stage.invalidate() });
    // Most of a splat's area is nearly transparent, and area is what slows software rendering down.
    if (stage.isSoftware) spark.maxStdDev = 2;
    stage.scene.add(spark);
    const splats = new SplatMesh(file.options);
    await splats.initialized;
    // Half a turn about Z.
    if (file.isYDown) splats.quaternion.set(0, 0, 1, 0);
    stage.root.add(splats);
    const bulk = boundsOfBulk(splats);
    stage.frameModel(() => [bulk]);
    const coarse = stage.isSoftware ? coarseSplats(splats) : null;
    if (coarse !== null) {
      await coarse.initialized;
      stage.root.remove(splats).add(coarse);
    }
    await waitUntilSorted(stage, () => spark.activeSplats > 0);
    return {
      statistics: { splats: file.count, size: sizeOf(stage.size), up: 'y' },
      omitted: file.omitted,
      async refine() {
        if (coarse === null) return;
        stage.root.remove(coarse).add(splats);
        // Spark keeps drawing the coarse splats until these are sorted.
        await waitUntilSorted(stage, () => spark.display.numSplats >= file.count);
      },
      close() {
        coarse?.dispose();
        splats.dispose();
      },
    };
  },
};

interface SplatFile {
  readonly count: number;
  readonly options: SplatMeshOptions;
  /** Formats that follow the original publication have Y down; SPZ has Y up. */
  readonly isYDown: boolean;
  readonly omitted: readonly string[];
}

/** Formats whose harmonics Spark reads too. It supports neither SPZ 4 nor streamed SOG, and trusts KSPLAT headers. */
function isReadBySpark(entry: string): boolean {
  return !isLodIndex(entry) && ['ply', 'splat', 'json', 'sog'].includes(extensionOf(entry));
}

/** Returns the bytes for Spark once their header has been verified; undefined for a PLY file without splats. */
async function readForSpark(asset: ViewerInput): Promise<SplatFile | undefined> {
  const { entry, files, limits } = asset;
  const name = extensionOf(entry);
  const common = { isYDown: true, omitted: [] };
  if (name === 'json' || name === 'sog') {
    const archive = name === 'json' ? await archiveOfFolder(entry, files) : await files.read(entry);
    const count = countSogSplats(filesOfArchive(archive, limits.inputBytes));
    const options = { fileBytes: archive, fileName: 'scene.sog', fileType: SplatFileType.PCSOGSZIP };
    return { ...common, count, options };
  }
  const bytes = await files.read(entry);
  const header = splatHeader(entry, bytes);
  const fileType = name === 'ply' ? SplatFileType.PLY : SplatFileType.SPLAT;
  if (header?.isPlain === false) return readCloud(asset);
  return (
    header && { ...common, count: header.count, options: { fileBytes: bytes, fileName: entry, fileType } }
  );
}

/** Reads the splats as thumbnails do. */
async function readCloud(asset: ViewerInput): Promise<SplatFile | undefined> {
  const worker = new ModelClient(asset);
  const cloud = await worker.call({ do: 'splats', asset: worker.asset }).finally(() => worker.close());
  if (cloud === undefined) return undefined;
  const options = {
    constructSplats: (target: PackedSplats) => copyCloud(cloud, target),
    maxSplats: cloud.count,
  };
  return { count: cloud.count, options, isYDown: false, omitted: [messages.noHarmonics] };
}

function copyCloud({ count, positions, scales, rotations, colors }: SplatCloud, target: PackedSplats): void {
  const [center, scale, turn, color] = [
    new THREE.Vector3(),
    new THREE.Vector3(),
    new THREE.Quaternion(),
    new THREE.Color(),
  ];
  for (let splat = 0; splat < count; splat++) {
    center.fromArray(positions, splat * 3);
    scale.fromArray(scales, splat * 3);
    turn.fromArray(rotations, splat * 4);
    color.fromArray(colors, splat * 4);
    target.pushSplat(center, scale, turn, colors[splat * 4 + 3] ?? 1, color);
  }
}

/** The box around the middle 96 % of the centres along each axis: captures have outliers far away. */
function boundsOfBulk(splats: SplatMesh): THREE.Box3 {
  splats.updateMatrixWorld(true);
  const axes: [number[], number[], number[]] = [[], [], []];
  const place = new THREE.Vector3();
  splats.forEachSplat((_, center, __, ___, opacity) => {
    if (opacity < 0.1) return;
    place.copy(center).applyMatrix4(splats.matrixWorld);
    axes[0].push(place.x);
    axes[1].push(place.y);
    axes[2].push(place.z);
  });
  const ranges = axes.map((values) => {
    const sorted = Float32Array.from(values).sort();
    const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
    return [at(0.02), at(0.98)] as const;
  });
  const corner = (end: 0 | 1) => new THREE.Vector3(...ranges.map((range) => range[end]));
  return new THREE.Box3(corner(0), corner(1));
}

/** Splats appear once they have been sorted for the first time, a frame or two after they were added. */
async function waitUntilSorted(stage: Stage, isSorted: () => boolean): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES && !isSorted(); tries++) {
    stage.invalidate();
    await new Promise((resolve) => setTimeout(resolve, 16));
  }
}

/** Hidden splats are never sorted. */
const MAX_TRIES = 1_000;

/** As many splats as a CPU draws without a coarse version. */
const FEW = 20_000;

/** One in this many splats is drawn in the coarse version. */
const SHARE = 12;

/** The factor by which the remaining splats grow along each axis. Keeping their total area would take about 3.5. */
const GROWTH = 2;

/** Returns some of the splats, enlarged, as a preview of all of them; null if these are few or cannot be read. */
export function coarseSplats(splats: SplatMesh): SplatMesh | null {
  const all = splats.packedSplats;
  if (all === undefined || all.numSplats <= FEW) return null;
  const some = new PackedSplats({ maxSplats: Math.ceil(all.numSplats / SHARE) });
  for (let at = 0; at < all.numSplats; at += SHARE) {
    const { center, scales, quaternion, opacity, color } = all.getSplat(at);
    some.pushSplat(center, scales.multiplyScalar(GROWTH), quaternion, opacity, color);
  }
  const coarse = new SplatMesh({ packedSplats: some });
  coarse.quaternion.copy(splats.quaternion);
  return coarse;
}
