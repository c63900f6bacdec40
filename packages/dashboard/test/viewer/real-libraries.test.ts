import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG_FAULTS } from '../../../../test/faults.ts';
import type { ViewerFile } from '../../src/viewer-protocol.ts';
import { ViewerTab } from './host.ts';

const DATA = fileURLToPath(new URL('../../../../../shared/data', import.meta.url));

interface SharedAsset {
  readonly library: string;
  readonly id: string;
  readonly kind: string;
  readonly entry: string;
  readonly entryPoints?: Readonly<Record<string, { readonly file: string }>>;
  readonly files: readonly ViewerFile[];
}

/** One of each kind and format; the long form of the tests opens all. */
const SAMPLE = [
  'skydio_x2/scene.xml',
  'wonik_allegro/right_hand.xml',
  'Fox/glTF-Binary/Fox.glb',
  'RiggedFigure/glTF-Draco/RiggedFigure.gltf',
  'AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf',
  'tri_homecart/homecart_bimanual.urdf',
  'urdf/TriATHLETE/urdf/TriATHLETE.URDF',
  'minimal.splat',
  'minimal-v2.spz',
  'minimal-v4.spz',
  'minimal.ksplat',
  'models/grass-trees.glb',
  'cessna/model.sdf',
  'demo_joint_types/model.sdf',
];

/** Files that are only part of a model, although they are listed as entry points. */
const PARTS = ['shadow_hand/keyframes.xml'];

describe.skipIf(!existsSync(DATA))('the real libraries in ../shared/data', () => {
  let tab: ViewerTab;

  beforeAll(async () => {
    tab = await ViewerTab.launch(480, 360);
  });

  afterAll(async () => {
    await tab?.close();
  });

  for (const [root, asset] of sharedAssets()) {
    const entries = new Set([asset.entry, ...Object.values(asset.entryPoints ?? {}).map(({ file }) => file)]);
    for (const entry of entries) {
      if (PARTS.includes(entry) || (!LONG_FAULTS && !SAMPLE.includes(entry))) continue;
      test(`${asset.library}/${asset.id} opens at ${entry}`, async () => {
        const files = asset.files.map(({ path, size }) => ({ path, size }));
        const opened = await tab.open({ kind: asset.kind, entry, files }, (path) =>
          readFile(join(root, path)),
        );
        expect(opened).toMatchObject({ status: 'shown' });
        expect(tab.complaints.splice(0)).toEqual([]);
      });
    }
  }
});

function sharedAssets(): [root: string, asset: SharedAsset][] {
  return [DATA, join(DATA, 'raw')].flatMap((folder) => {
    const list = join(folder, 'assets.json');
    if (!existsSync(list)) return [];
    const { assets } = JSON.parse(readFileSync(list, 'utf8')) as { assets: SharedAsset[] };
    return assets
      .filter(({ kind }) => kind !== 'file')
      .map((asset): [string, SharedAsset] => [join(folder, asset.library), asset]);
  });
}
