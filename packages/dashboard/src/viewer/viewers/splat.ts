import { extension, TooLarge } from '@bindery/render/models';
import { SparkRenderer, SplatFileType, SplatMesh, type SplatMeshOptions } from '@sparkjsdev/spark';
import * as THREE from 'three';
import { splatHeader } from '../splats/headers.ts';
import { archiveOfFolder, countSogSplats, filesOfArchive } from '../splats/sog.ts';
import { gunzip } from '../splats/unpack.ts';
import type { OpenAsset, Viewer } from '../viewer.ts';
import { sizeIn } from './axes.ts';
import { viewer as mesh } from './mesh.ts';

/** Gaussian splats, drawn by Spark, which comes with the first of them. */
export const viewer: Viewer = {
  async open(asset) {
    const file = await readSplats(asset);
    // Any PLY file may stand under this kind.
    if (file === undefined) return mesh.open(asset);
    if (file.count > asset.limits.splats)
      throw new TooLarge(`too large: more than ${asset.limits.splats} splats`);
    const stage = await asset.stage();
    const spark = new SparkRenderer({ renderer: stage.renderer, onDirty: () => stage.invalidate() });
    stage.scene.add(spark);
    const splats = new SplatMesh(file.options);
    await splats.initialized;
    // Formats that follow the first publication have Y down; SPZ has Y up.
    if (extension(asset.entry) !== 'spz') splats.quaternion.set(0, 0, 1, 0);
    stage.root.add(splats);
    const bulk = boundsOfBulk(splats);
    stage.frame(() => [bulk]);
    await sorted(spark, stage.drawn.bind(stage));
    return {
      statistics: { splats: file.count, size: sizeIn(stage.size, 'y'), up: 'y' },
      omitted: [],
      close: () => splats.dispose(),
    };
  },
};

interface SplatFile {
  readonly count: number;
  readonly options: SplatMeshOptions;
}

/** The bytes for Spark, once their header is known not to lie; undefined for a PLY file without splats. */
async function readSplats({ entry, files, limits }: OpenAsset): Promise<SplatFile | undefined> {
  const name = extension(entry);
  if (name === 'json' || name === 'sog') {
    const archive = name === 'json' ? await archiveOfFolder(entry, files) : await files.read(entry);
    const count = countSogSplats(filesOfArchive(archive, limits.inputBytes));
    return {
      count,
      options: { fileBytes: archive, fileName: 'scene.sog', fileType: SplatFileType.PCSOGSZIP },
    };
  }
  const bytes = (await files.read(entry)) as Uint8Array<ArrayBuffer>;
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const header = splatHeader(entry, isGzip ? await gunzip(bytes, limits.inputBytes) : bytes);
  return (
    header && { count: header.count, options: { fileBytes: bytes, fileName: entry, fileType: TYPES[name] } }
  );
}

const TYPES: Readonly<Record<string, SplatFileType>> = {
  ply: SplatFileType.PLY,
  spz: SplatFileType.SPZ,
  splat: SplatFileType.SPLAT,
  ksplat: SplatFileType.KSPLAT,
};

/** The box around the middle 96 % of the centres along each axis: captures have strays far away. */
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
  const [x, y, z] = ranges as [
    readonly [number, number],
    readonly [number, number],
    readonly [number, number],
  ];
  return new THREE.Box3(new THREE.Vector3(x[0], y[0], z[0]), new THREE.Vector3(x[1], y[1], z[1]));
}

/** Splats show once they are sorted for the first time, a picture or two after they came. */
async function sorted(spark: SparkRenderer, drawn: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 40 && spark.activeSplats === 0; tries++) {
    await drawn();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
