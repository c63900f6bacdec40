import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discoverFolder } from '@bindery/sdk/libraries';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ViewerTab } from './host.ts';

const INPUTS = fileURLToPath(new URL('../../../../../shared/failing', import.meta.url));

/** Libraries whose assets are opened, and why some of these are refused; nothing is missing from the others. */
const LIBRARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'concave-polygon': {},
  'dae-cdata': {},
  encodings: {},
  'far-coordinates': {},
  'lfs-pointer-silent': Object.fromEntries(
    ['dae', 'fbx', 'obj', 'ply', 'sdf', 'spz', 'stl'].map((format) => [`lfs-${format}`, 'git lfs pull']),
  ),
  'mjcf-cube-six': {},
  'mjcf-first-party-plugin': { plugin: 'mujoco.sdf.torus' },
  'mjcf-foreign-absolute': {},
  'mjcf-strippath': {},
  'obj-two-mtllibs': {},
  'obj-vertex-colour-srgb': {},
  'ply-texturefile': {},
  'root-own-name-paths': {},
  'sdf-include-of-another-model': {},
  'sdf-nested-attached-to': {},
  'sdf-no-shapes-message': { heightmap_m: 'kind heightmap', walker: 'actors are not drawn' },
  'splat-khr-gltf': {},
  'splat-ply-variants': {},
  'spz-coordinate-extension': {},
  'stl-colours': {},
  'urdf-mesh-formats-nobody-opens': { 'mesh-3mf-step': 'STEP is not read in browsers' },
  'xml-comment-first': {},
};

/** Splats read as for thumbnails look the same from every side, which the viewer says. */
const HARMONICS = 'Colours that change with the direction of view';

/** No viewer opens these, or a picture shows them. */
const LEFT_OUT = /^lfs-(?:png|pointer|usd)$/;

describe.skipIf(!existsSync(INPUTS))('the viewer opens the libraries in ../shared/failing', () => {
  let tab: ViewerTab;

  beforeAll(async () => {
    tab = await ViewerTab.launch(480, 360);
  });

  afterAll(async () => {
    await tab?.close();
  });

  test.each(Object.entries(LIBRARIES))('%s', async (name, refused) => {
    const found = await discoverFolder(join(INPUTS, name, 'input'));
    for (const { id, kind = 'file', entry = '', files } of found.assets) {
      if (LEFT_OUT.test(id)) continue;
      const asset = { kind, entry, files: files.map(({ path, size }) => ({ path, size })) };
      const opened = await tab.open(asset, (path) => readFile(join(found.root, path)));
      const reason = refused[id];
      if (reason === undefined) {
        expect(opened, id).toMatchObject({ status: 'shown' });
        if (opened.status === 'shown')
          expect(
            opened.omitted.filter((one) => one !== HARMONICS),
            id,
          ).toEqual([]);
      } else {
        expect(opened, id).toMatchObject({ status: 'refused', reason: expect.stringContaining(reason) });
      }
    }
    expect(tab.complaints).toEqual([]);
  });
});
