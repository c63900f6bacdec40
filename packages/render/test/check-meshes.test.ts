import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../formats/src/reading/asset-files.ts';
import { checkMeshes } from '../src/check-meshes.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { pylon3mf } from './models/3mf.ts';
import { pylonAmf } from './models/amf.ts';
import { off, pcd, pts, xyz } from './models/clouds.ts';
import { pylonDae } from './models/collada.ts';
import { pylonFbx } from './models/fbx.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { asciiStl, binaryStl, obj, ply } from './models/meshes.ts';
import { pylonVrml } from './models/vrml.ts';

const MODELS: readonly (readonly [string, () => Uint8Array | Promise<Uint8Array>])[] = [
  ['a.stl', binaryStl],
  ['ascii.stl', asciiStl],
  ['a.obj', () => obj().obj],
  ['a.ply', () => ply('ascii')],
  ['binary.ply', () => ply('binary_little_endian')],
  ['a.dae', () => pylonDae('y')],
  ['a.fbx', () => pylonFbx('binary', 7400)],
  ['text.fbx', () => pylonFbx('text', 7400)],
  ['a.3mf', pylon3mf],
  ['a.amf', pylonAmf],
  ['a.wrl', pylonVrml],
  ['a.off', () => off('face colours')],
  ['binary.off', () => off('binary')],
  ['a.pcd', () => pcd('binary')],
  ['ascii.pcd', () => pcd('ascii')],
  ['a.glb', () => gltfPylon().then(({ document, buffer }) => glb(document, buffer))],
  ['a.xyz', xyz],
  ['a.pts', pts],
];

/** Whether a check reports what keeps a picture from being drawn, and what that is. */
async function judged(name: string, bytes: Uint8Array) {
  const files = memoryFiles(new Map([[name, bytes]]));
  const [mesh] = await checkMeshes([name], files);
  const drawn = await renderThumbnail({ kind: 'mesh', entry: name, files });
  const refused = 'warning' in drawn ? drawn.warning : null;
  // What only exceeds the limits of pictures is a warning.
  const severity = refused?.startsWith('too large') ? 'warning' : 'error';
  return { isReported: mesh?.problem?.severity === severity, refused };
}

describe('a check has an error exactly where there is no picture', () => {
  test.each(MODELS)('for %s, whole, cut or changed', async (name, make) => {
    const whole = await make();
    expect(await judged(name, whole)).toEqual({ isReported: false, refused: null });
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(whole.length), async (list, length) => {
        const bytes = whole.slice();
        for (const [at, byte] of list) bytes[at] = byte;
        const { isReported, refused } = await judged(
          name,
          bytes.slice(0, list.length === 0 ? length : undefined),
        );
        expect({ isReported, refused }).toEqual({ isReported: refused !== null, refused });
      }),
      { numRuns: 20, seed: 1 },
    );
  });
});
