import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createModelCheckPool } from '@bindery/render';
import { checkLibrary, discoverFolder } from '@bindery/sdk/libraries';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { renderThumbnail } from '../../render/src/thumbnail.ts';

const INPUTS = fileURLToPath(new URL('../../../../shared/failing/', import.meta.url));

/** What is right for a library: its assets with what their pictures show, and all that a check says. */
interface Right {
  /** The colours in the picture of each asset, or why there is none. */
  readonly assets: Readonly<Record<string, string>>;
  /** `code file` of each problem, without those about licences and duplicates. */
  readonly problems?: readonly string[];
  /** What the pictures lack, by asset. */
  readonly omitted?: Readonly<Record<string, string>>;
}

const POINTER = 'it is a Git LFS pointer, not the file itself: run git lfs pull';
const unreadable = (...files: string[]) => files.map((file) => `file-unreadable ${file}`);

const RIGHT: Readonly<Record<string, Right>> = {
  'ascii-stl-upper-case': {
    assets: { lower: 'grey', upper: 'grey' },
    problems: ['mesh-scale lower/r.urdf', 'mesh-scale upper/r.urdf'],
  },
  'check-unlike-render': {
    assets: {
      ...Object.fromEntries(
        Object.entries({
          'cr-lines.obj': 'the OBJ file has no faces',
          'cut-ascii.stl': 'the STL file has no triangles',
          'empty-triangles.dae': 'nothing visible to draw',
          'face-out-of-range.obj': 'a face of the OBJ file names a vertex that does not exist',
          'no-model.3mf': 'the 3MF file has no model',
          'no-xyz.pcd': 'the PCD file has no positions',
          'only-lines.obj': 'the OBJ file has no faces',
          'only-points.obj': 'the OBJ file has no faces',
          'shape-without-geometry.wrl': 'nothing visible to draw',
        }).map(([file, why]) => [`ok-but-not-drawn-${file}`, why]),
      ),
      ...Object.fromEntries(
        ['comment-infill.obj', 'name-vertex-info.stl', 'rows-in-one-line.ply', 'utf16.obj'].map((file) => [
          `refused-but-drawn-${file}`,
          'grey',
        ]),
      ),
    },
    problems: unreadable(
      ...[
        ...['cr-lines.obj', 'cut-ascii.stl', 'empty-triangles.dae', 'face-out-of-range.obj'],
        ...['face-out-of-range.off', 'no-model.3mf', 'no-xyz.pcd', 'only-lines.obj', 'only-points.obj'],
        'shape-without-geometry.wrl',
      ].map((file) => `ok-but-not-drawn/${file}`),
    ),
  },
  'code-folders-become-assets': { assets: { cup: 'grey' } },
  'concave-polygon': { assets: { 'obj-ngon-concave': 'grey' } },
  'dae-cdata': {
    assets: {
      'cdata-elsewhere': 'blue green red yellow',
      'dae-tex-cdata': 'blue green red yellow',
      tex_shared2: 'blue green red yellow',
    },
  },
  'damaged-mesh-silent': {
    assets: {
      'empty-stl': 'cyan',
      'obj-empty': 'the OBJ file has no faces',
      'obj-nan': 'grey',
      'ply-zero': 'not a PLY file: no header',
      'stl-nan': 'grey',
      'stl-wrong-count': 'the STL file announces 536 triangles and ends before them',
      'stl-zero-count': 'the STL file has no triangles',
    },
    problems: unreadable(
      'empty-stl/meshes/base-link.STL',
      'obj-empty/void.obj',
      'ply-zero/zero.ply',
      'stl-wrong-count/short.stl',
      'stl-zero-count/zc.stl',
      'obj-nan/broken.obj',
      'stl-nan/nan.stl',
    ),
    omitted: { 'empty-stl': 'the STL file has no triangles' },
  },
  encodings: {
    assets: {
      'dae-utf16': 'blue grey red',
      gbk: 'green',
      latin1: 'green',
      'mjcf-utf16': 'grey',
      'obj-latin1': 'blue grey red',
      utf16: 'green',
    },
  },
  'far-coordinates': {
    assets: {
      'obj-utm1': 'blue grey red',
      'ply-cloud-utm': 'blue cyan green orange red yellow',
      'splat-ply-utm': 'blue grey red',
      'stl-utm2': 'grey',
    },
  },
  'folder-named-gltf': { assets: { 'gltf-furniture': 'blue grey red', 'gltf-toys': 'blue grey red' } },
  'gazebo-stock-models': {
    assets: { worlds: 'grey' },
    problems: ['reference-outside worlds/yard.world', 'reference-outside worlds/yard.world'],
  },
  'lfs-pointer-silent': {
    assets: {
      'lfs-dae': POINTER,
      'lfs-fbx': POINTER,
      'lfs-obj': POINTER,
      'lfs-ply': POINTER,
      'lfs-png': POINTER,
      'lfs-pointer': 'grey',
      'lfs-sdf': `nothing visible to draw: meshes/l.dae: ${POINTER}`,
      'lfs-spz': POINTER,
      'lfs-stl': POINTER,
      'lfs-usd': POINTER,
    },
    problems: [
      ...unreadable(
        'lfs-dae/thing.dae',
        'lfs-fbx/thing.fbx',
        'lfs-obj/thing.obj',
        'lfs-ply/thing.ply',
        'lfs-png/thing.png',
        'lfs-pointer/urdf/assets/body_foot_3dprint.stl',
        'lfs-sdf/meshes/l.dae',
        'lfs-spz/thing.spz',
        'lfs-stl/thing.stl',
        'lfs-usd/thing.usd',
      ),
    ],
    omitted: { 'lfs-pointer': POINTER },
  },
  'mjcf-cube-six': { assets: { 'cube-six': 'grey', 'mj-cube-one': 'red' } },
  'mjcf-first-party-plugin': {
    assets: { plugin: "the model needs MuJoCo's plugin mujoco.sdf.torus, which is not available here" },
    problems: ['mjcf-needs-plugin plugin/pl.xml'],
  },
  'mjcf-foreign-absolute': {
    assets: { 'robocasa-hardcoded': 'blue green red yellow', 'root-name-path': 'grey' },
    problems: [
      'reference-guessed robocasa-hardcoded/cup_16/model.xml',
      'reference-guessed root-name-path/armx/assets/myo_assets.xml',
    ],
  },
  'mjcf-strippath': { assets: { strippath: 'grey' } },
  'obj-two-mtllibs': { assets: { 'obj-two-mtllibs': 'blue grey red' } },
  'obj-vertex-colour-srgb': { assets: { 'obj-vertex-colours': 'blue grey red' } },
  'ply-texturefile': {
    assets: {
      'ply-tex-elsewhere': 'blue green red yellow',
      'ply-texturefile': 'blue green red yellow',
      'ply-vertex-uv': 'blue green red yellow',
      tex_shared: 'blue green red yellow',
    },
  },
  'readme-title-underscores': { assets: { ant_arm_v2: 'grey' } },
  'root-own-name-paths': {
    assets: { arm: 'grey', leg: 'grey' },
    problems: ['reference-guessed arm/arm.xml', 'reference-guessed leg/leg.xml'],
  },
  'root-package-xml-collapses-collection': {
    assets: { ant_description: 'grey', bee_description: 'grey', cups: 'grey', lamp_description: 'grey' },
  },
  'sdf-include-of-another-model': {
    assets: { gz_base: 'orange', gz_only_include: 'orange', gz_vehicle: 'blue orange' },
  },
  'sdf-nested-attached-to': { assets: { nested_colon: 'blue grey red' } },
  'sdf-no-shapes-message': {
    assets: {
      heightmap_m: 'nothing visible to draw: v5298: shapes of kind heightmap are not drawn',
      walker: 'nothing visible to draw: walker: animated actors are not drawn',
    },
    problems: ['reference-outside heightmap_m/model.sdf', 'reference-outside heightmap_m/model.sdf'],
  },
  'sdf-submesh': {
    assets: { submesh_center: 'blue red' },
    omitted: { submesh_center: 'it has no submesh doesnotexist' },
  },
  'splat-khr-gltf': { assets: { 'glb-khr-splat': 'blue cyan green orange red yellow' } },
  'splat-ply-variants': { assets: { 'splat-ply-2dgs': 'blue grey red', 'splat-ply-rgb': 'blue grey red' } },
  'spz-coordinate-extension': {
    assets: { 'spz-v3-coord-ext': 'blue grey red', 'spz-v4-coord-ext': 'blue grey red' },
  },
  'stl-colours': { assets: { 'stl-colour-magics': 'blue grey red', 'stl-colour-viscam': 'blue grey red' } },
  'texture-as-thumbnail': {
    assets: {
      'gltf-cmyk': 'blue green red yellow',
      'gltf-png16': 'blue green red yellow',
      'kit-dae': 'blue green red yellow',
      'kit-obj': 'blue green red yellow',
    },
    problems: ['gltf-invalid gltf-cmyk/ink.gltf'],
  },
  'urdf-mesh-formats-nobody-opens': {
    assets: {
      'mesh-3mf-step':
        'nothing visible to draw: meshes/base.step: the STEP file is damaged, or not one and 1 more',
    },
    problems: [
      ...unreadable('mesh-3mf-step/meshes/b.3mf', 'mesh-3mf-step/meshes/base.step'),
      'mesh-without-viewer mesh-3mf-step/st.urdf',
    ],
  },
  'usd-crate-folder': {
    assets: { 'isaac-go2': 'the file is a damaged crate: it has less than it says' },
    problems: [
      ...unreadable(
        'isaac-go2/configuration/go2_base.usd',
        'isaac-go2/configuration/go2_physics.usd',
        'isaac-go2/configuration/go2_sensor.usd',
        'isaac-go2/go2.usd',
      ),
    ],
  },
  'usd-z-up-height': { assets: { 'lamp.usda': 'grey' } },
  'usd-udim': {
    assets: { 'usd-robot': 'grey' },
    problems: [
      // Its layers have statements on one line, which OpenUSD refuses.
      ...['layers/physics', 'parts/arm', 'parts/base'].map(
        (layer) => `model-invalid usd-robot/${layer}.usda`,
      ),
      'reference-missing usd-robot/robot.usda',
      'reference-missing usd-robot/robot.usda',
    ],
    omitted: { 'usd-robot': 'is not there' },
  },
  'xacro-computed-include': {
    assets: { xa_computed: 'grey', xa_explicit: 'grey' },
  },
  'xml-comment-first': { assets: { 'comment-first': 'green' } },
  'zero-mass-frames': { assets: { bot: 'grey' }, problems: [] },
};

const IGNORED = /^(?:license|duplicate|attribution)/;

describe.skipIf(!existsSync(INPUTS))('the libraries in ../shared/failing', () => {
  test.each(Object.entries(RIGHT))('%s', async (name, { assets, problems = [], omitted = {} }) => {
    const found = await discoverFolder(join(INPUTS, name, 'input'));
    await using pool = createModelCheckPool({ workers: 1, timeoutMs: 240_000, memoryMiB: 2_048 });
    const report = await checkLibrary(found, { concurrency: 1, check: (models) => pool.check(models) });
    expect(
      report.problems.filter(({ code }) => !IGNORED.test(code)).map(({ code, file }) => `${code} ${file}`),
    ).toEqual(problems);

    const shown: Record<string, string> = {};
    const lacking: Record<string, string> = {};
    for (const { id, kind = 'file', entry = '', files, thumbnail } of found.assets) {
      expect(thumbnail, `${id} has no picture of its author`).toBeUndefined();
      const sizes = new Map(files.map(({ path, size }) => [path, size]));
      const read = async (path: string) => new Uint8Array(readFileSync(join(found.root, path)));
      const picture = await renderThumbnail({ kind, entry, files: { sizes, read } });
      shown[id] = 'webp' in picture ? await colorsOf(picture.webp) : picture.warning;
      const [first] = 'webp' in picture ? (picture.omissions?.meshes?.named ?? []) : [];
      if (first !== undefined) lacking[id] = first.reason;
    }
    expect(shown).toEqual(assets);
    expect(lacking).toEqual(omitted);
  });
});

/** The names of hues from 0 to 360 degrees, by where they end. */
const HUES: readonly (readonly [number, string])[] = [
  [18, 'red'],
  [40, 'orange'],
  [75, 'yellow'],
  [165, 'green'],
  [200, 'cyan'],
  [290, 'blue'],
  [361, 'red'],
];

/** The colours that cover at least a fiftieth of a picture's solid pixels, sorted; grey only if it covers a fifth. */
async function colorsOf(webp: Uint8Array): Promise<string> {
  const { data } = await sharp(webp).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const counts = new Map<string, number>();
  let solid = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4);
    if (alpha < 200) continue;
    solid++;
    const name = nameOf(red, green, blue);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([name, count]) => count > solid / (name === 'grey' ? 5 : 50))
    .map(([name]) => name)
    .sort()
    .join(' ');
}

function nameOf(red: number, green: number, blue: number): string {
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const range = most - least;
  if (range < 0.25 * most) return 'grey';
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  const hue = (sixth * 60 + 360) % 360;
  return HUES.find(([end]) => hue < end)?.[1] ?? 'red';
}
