import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { usdArchive } from '../../../test/usd-crate.ts';
import { boundsOf, unionBounds } from '../../formats/src/model/bounds.ts';
import { drawnParts } from '../../formats/src/model/drawn-mechanism.ts';
import { atRest, placeBodies } from '../../formats/src/model/kinematics.ts';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import type { Mechanism } from '../../formats/src/model/mechanism.ts';
import type { Instance } from '../../formats/src/model/scene.ts';
import { loadUsdModel } from '../../formats/src/usd/model.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles, type RenderLimits } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { previewSurface, square, USD_ARM } from './models/usd.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;
type Options = Parameters<typeof loadUsdModel>[2];

/** What the first of the files shows, with what is missing from it. Texts without a header are layers in metres. */
async function loaded(files: Files | string, options: Options = {}, limits?: Partial<RenderLimits>) {
  const list = typeof files === 'string' ? { 'a.usda': files } : files;
  const bytes = new Map(
    Object.entries(list).map(([path, content]) => {
      const isBare = typeof content === 'string' && path.endsWith('.usda') && !content.startsWith('#usda');
      const text = isBare ? `#usda 1.0\n(\n  metersPerUnit = 1\n)\n${content}` : content;
      return [path, new Uint8Array(Buffer.from(text))];
    }),
  );
  const context = createRendererContext(memoryFiles(bytes), limits);
  const { model, variants } = await loadUsdModel(Object.keys(list)[0] as string, context, options);
  const missing = Object.values(context.omissions.summary() ?? {}).flatMap(({ named }) => named);
  if ('mechanism' in model) throw new Error('a robot');
  return { ...model.scene, variants, missing };
}

function box(instances: readonly Instance[]): number[] {
  const all = unionBounds(
    instances.map(({ geometry, transform }) => boundsOf([transformPoints(transform, geometry.positions)])),
  );
  return [all.minX, all.minY, all.minZ, all.maxX, all.maxY, all.maxZ].map(
    (value) => Math.round(value * 1000) / 1000 + 0,
  );
}

function named({ instances }: { readonly instances: readonly Instance[] }, path: string): Instance[] {
  return instances.filter(({ names }) => names?.[0] === path);
}

async function picture(red: number, green = 0): Promise<Uint8Array> {
  return sharp({ create: { width: 2, height: 2, channels: 3, background: { r: red, g: green, b: 0 } } })
    .png()
    .toBuffer();
}

describe('a mesh', () => {
  test('is made of triangles, without holes and faces whose points do not exist', async () => {
    const scene = await loaded(`def Mesh "m" {
      int[] faceVertexCounts = [5, 3, 3, 3]
      int[] faceVertexIndices = [0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 99, 0, 2, 3]
      int[] holeIndices = [3]
      point3f[] points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 0.2, 0), (0, 1, 0)]
    }`);
    expect(scene.instances.map(({ geometry }) => geometry.indices.length / 3)).toEqual([4]);
  });

  test('keeps texture coordinates and normals of corners, and turns faces that are left-handed', async () => {
    const { instances } = await loaded(`def Mesh "m" {
      int[] faceVertexCounts = [3]
      int[] faceVertexIndices = [0, 1, 2]
      point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
      uniform token orientation = "leftHanded"
      uniform token subdivisionScheme = "none"
      texCoord2f[] primvars:map = [(0.25, 1)] (interpolation = "constant")
      rel material:binding = </pylon/paint>
    }
    def Xform "pylon" { ${previewSurface(
      'paint',
      'color3f inputs:diffuseColor.connect = </pylon/paint/t.outputs:rgb>',
      `
      def Shader "t" { uniform token info:id = "UsdUVTexture"; asset inputs:file = @none.png@; float2 inputs:st.connect = </pylon/paint/r.outputs:result>; float3 outputs:rgb; }
      def Shader "r" { uniform token info:id = "UsdPrimvarReader_float2"; string inputs:varname = "map"; float2 outputs:result; }`,
    )}
    }`);
    const { normals, uvs } = instances[0]!.geometry;
    expect([...normals.slice(0, 3)]).toEqual([0, 0, -1]);
    expect([...(uvs ?? [])]).toEqual([0.25, 0, 0.25, 0, 0.25, 0]);
  });

  test('has a material for each of its subsets', async () => {
    const { instances } = await loaded(`def Xform "pylon" {
      ${previewSurface('red', 'color3f inputs:diffuseColor = (1, 0, 0)')}
      ${previewSurface('green', 'color3f inputs:diffuseColor = (0, 1, 0)')}
      def Mesh "m" {
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        rel material:binding = </pylon/red>
        def GeomSubset "one" { int[] indices = [1]; uniform token familyName = "materialBind"; rel material:binding = </pylon/green>; }
      }
    }`);
    expect(instances.map(({ material }) => material.baseColor)).toEqual([
      [1, 0, 0, 1],
      [0, 1, 0, 1],
    ]);
  });
});

test('operations are applied in their order, with pivots, inverses and resets', async () => {
  const scene = await loaded(`def Xform "up" {
    double3 xformOp:translate = (100, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "turned" {
      double3 xformOp:translate:pivot = (1, 0, 0)
      float xformOp:rotateZ = 90
      uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"]
      ${square('s')}
    }
    def Xform "alone" {
      float3 xformOp:scale = (2, 3, 1)
      quatf xformOp:orient = (0, 0, 0, 1)
      uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:scale", "xformOp:orient"]
      ${square('s')}
    }
  }`);
  expect(box(named(scene, '/up/turned/s'))).toEqual([100, -1, 0, 101, 0, 0]);
  expect(box(named(scene, '/up/alone/s'))).toEqual([-2, -3, 0, 0, 0, 0]);
});

test('what is invisible, a guide or a proxy is left out, and lengths are in metres', async () => {
  const scene = await loaded(`#usda 1.0
    def Xform "a" {
      ${square('seen')}
      ${square('hidden', 'token visibility = "invisible"', 9)}
      ${square('guide', 'uniform token purpose = "guide"', 9)}
      def Scope "proxies" {
        uniform token purpose = "proxy"
        ${square('s', '', 9)}
      }
      ${square('render', 'uniform token purpose = "render"', 2)}
    }`);
  expect(box(scene.instances)).toEqual([0, 0, 0, 0.02, 0.02, 0]);
});

test('proxies stand in where there is nothing else, and a plane is drawn only by itself', async () => {
  const proxy = await loaded(square('p', 'uniform token purpose = "proxy"'));
  expect(proxy.instances).toHaveLength(1);
  const ground = 'def Plane "ground" { double width = 50; double length = 50; }';
  expect((await loaded(ground)).instances).toHaveLength(1);
  expect(box((await loaded(`${ground}\n${square('s')}`)).instances)).toEqual([0, 0, 0, 1, 1, 0]);
});

test('shapes along their axis, points and curves are drawn', async () => {
  const scene =
    await loaded(`def Cylinder "c" { double radius = 1; double height = 6; uniform token axis = "X"; }
    def Points "p" { point3f[] points = [(0, 0, 0), (1, 1, 1)]; }
    def BasisCurves "b" { int[] curveVertexCounts = [2]; point3f[] points = [(0, 0, 0), (0, 0, 4)]; uniform token type = "linear"; }`);
  expect(box(scene.instances).map(Math.round)).toEqual([-3, -1, -1, 3, 1, 1]);
  expect(scene.points[0]?.positions).toHaveLength(6);
  expect([...(scene.lines?.[0]?.positions ?? [])]).toEqual([0, 0, 0, 0, 0, 4]);
});

test('an axis that there is not is the one that USD takes', async () => {
  const { instances } = await loaded(
    'def Cylinder "c" { double radius = 1; double height = 6; uniform token axis = "constructor"; }',
  );
  expect(box(instances).map(Math.round)).toEqual([-1, -1, -3, 1, 1, 3]);
});

describe('a material is bound', () => {
  const materials = ['red', 'green']
    .map((name, at) => previewSurface(name, `color3f inputs:diffuseColor = (${1 - at}, ${at}, 0)`))
    .join('\n');
  const colorOf = async (pylon: string, more = '') => {
    const { instances } = await loaded(`def Xform "pylon" ${more} {\n${materials}\n${pylon}\n}`);
    return instances[0]?.material.baseColor.slice(0, 2);
  };

  test('by the nearest prim above, unless one further above is stronger', async () => {
    const inside = `def Xform "x" { rel material:binding = </pylon/green>; ${square('s')}\n}`;
    expect(await colorOf(`rel material:binding = </pylon/red>; ${inside}`)).toEqual([0, 1]);
    const stronger = '(bindMaterialAs = "strongerThanDescendants")';
    expect(await colorOf(`rel material:binding = </pylon/red> ${stronger}; ${inside}`)).toEqual([1, 0]);
  });

  test('by a collection that names the prim', async () => {
    const collection = `uniform token collection:some:expansionRule = "expandPrims"
      rel collection:some:includes = </pylon/x>
      rel material:binding = </pylon/red>
      rel material:binding:collection:some = [</pylon.collection:some>, </pylon/green>];`;
    expect(await colorOf(`${collection} def Xform "x" { ${square('s')}\n}`)).toEqual([0, 1]);
    expect(await colorOf(`${collection} def Xform "y" { ${square('s')}\n}`)).toEqual([1, 0]);
  });
});

describe('a texture', () => {
  const textured = (file: string, inputs = '', surface = '') => `def Xform "pylon" {
    ${previewSurface(
      'paint',
      `color3f inputs:diffuseColor.connect = </pylon/paint/t.outputs:rgb>\n${surface}`,
      `
      def Shader "t" { uniform token info:id = "UsdUVTexture"; asset inputs:file = @${file}@; ${inputs} float2 inputs:st.connect = </pylon/paint/move.outputs:result>; float3 outputs:rgb; float outputs:a; }
      def Shader "move" { uniform token info:id = "UsdTransform2d"; float2 inputs:in.connect = </pylon/paint/r.outputs:result>; float2 inputs:scale = (2, 2); float2 inputs:translation = (0.5, 0); float2 outputs:result; }
      def Shader "r" { uniform token info:id = "UsdPrimvarReader_float2"; string inputs:varname = "st"; float2 outputs:result; }`,
    )}
    ${square('s', 'rel material:binding = </pylon/paint>')}
  }`;

  test('is placed, scaled and wrapped as its shaders say', async () => {
    const inputs =
      'float4 inputs:scale = (0.5, 1, 1, 1); token inputs:wrapS = "mirror"; token inputs:wrapT = "clamp";';
    const { instances } = await loaded({
      'a.usda': textured('./t.png', inputs),
      't.png': await picture(200),
    });
    const { baseColor, baseColorTexture } = instances[0]!.material;
    expect(baseColor).toEqual([0.5, 1, 1, 1]);
    expect(baseColorTexture).toMatchObject({
      wrapU: 'mirror',
      wrapV: 'clamp',
      transform: [2, -0, -0, 2, 0.5, -1],
    });
    expect(baseColorTexture?.levels[0]?.data[0]).toBe(200);
  });

  test('in a package is read from it', async () => {
    const archive = usdArchive({
      'a.usda': `#usda 1.0\n${textured('tex/t.png')}`,
      'tex/t.png': await picture(90),
    });
    const { instances, missing } = await loaded({ 'a.usdz': archive });
    expect(instances[0]?.material.baseColorTexture?.levels[0]?.data[0]).toBe(90);
    expect(missing).toEqual([]);
  });

  test('in tiles is drawn tile by tile, and missing ones are named', async () => {
    const tiled = textured('t.<UDIM>.png').replace(
      '(1, 0), (1, 1), (0, 1)] (interp',
      '(2, 0), (2, 1), (0, 1)] (interp',
    );
    const far = tiled
      .replaceAll('"s"', '"far"')
      .replace('[(0, 0), (2', '[(1, 0), (2')
      .replace('(0, 1)] (interp', '(1, 1)] (interp')
      .replace('def Xform "pylon"', 'def Xform "other"');
    const { instances, missing } = await loaded({
      'a.usda': `${textured('t.<UDIM>.png')}\n${far}`,
      't.1001.png': await picture(50),
    });
    expect(instances.map(({ material }) => material.baseColorTexture?.levels[0]?.data[0])).toEqual([
      50,
      undefined,
    ]);
    expect(missing).toEqual([{ name: 't.1002.png', reason: 'no such file' }]);
  });

  test('gives roughness and metalness from channels of different pictures', async () => {
    const surface = 'float inputs:roughness.connect = </pylon/paint/t.outputs:g>';
    const { instances } = await loaded({
      'a.usda': textured('t.png', '', surface),
      't.png': await picture(10, 70),
    });
    const { metallicRoughnessTexture, roughness, metallic } = instances[0]!.material;
    expect([metallicRoughnessTexture?.levels[0]?.data[1], roughness, metallic]).toEqual([70, 1, 0]);
  });
});

test('materials of a MaterialX document are drawn with the pictures of their graphs', async () => {
  const document = `<?xml version="1.0"?>
    <materialx version="1.38" colorspace="lin_rec709" fileprefix="tex/">
      <nodegraph name="NG"><image name="wood" type="color3"><input name="file" type="filename" value="t.png" colorspace="srgb_texture"/></image>
        <output name="color" type="color3" nodename="wood"/></nodegraph>
      <standard_surface name="SR" type="surfaceshader"><input name="base_color" type="color3" nodegraph="NG" output="color"/>
        <input name="base" type="float" value="1"/><input name="metalness" type="float" value="0.25"/></standard_surface>
      <surfacematerial name="Wood" type="material"><input name="surfaceshader" type="surfaceshader" nodename="SR"/></surfacematerial>
    </materialx>`;
  const { instances, missing } = await loaded({
    'a.usda': `def Xform "a" { def Scope "looks" (references = @look.mtlx@</MaterialX/Materials>) {}
      ${square('s', 'rel material:binding = </a/looks/Wood>')}
    }`,
    'look.mtlx': document,
    'tex/t.png': await picture(120),
  });
  expect(missing).toEqual([]);
  const { baseColorTexture, metallic } = instances[0]!.material;
  expect([baseColorTexture?.levels[0]?.data[0], metallic]).toEqual([120, 0.25]);
});

describe('a PointInstancer', () => {
  const crowd = (count: number) => `def PointInstancer "crowd" {
    rel prototypes = [</crowd/a>]
    int[] protoIndices = [${Array(count).fill(0).join(', ')}]
    point3f[] positions = [${Array.from({ length: count }, (_, at) => `(${at * 10}, 0, 0)`).join(', ')}]
    float3[] scales = [${Array(count).fill('(2, 2, 2)').join(', ')}]
    int64[] invisibleIds = [1]
    ${square('a')}
  }`;

  test('shows its prototypes where its points are, except for those that are invisible', async () => {
    const { instances } = await loaded(crowd(3));
    expect(instances).toHaveLength(2);
    expect(box(instances)).toEqual([0, 0, 0, 22, 2, 0]);
    expect(new Set(instances.map(({ geometry }) => geometry)).size).toBe(1);
  });

  test('of more copies than allowed shows some, and says how many', async () => {
    const { instances, missing } = await loaded(crowd(500), {}, { instances: 100 });
    expect(instances).toHaveLength(100);
    expect(missing).toEqual([{ name: '/crowd/a', reason: 'only 100 copies are drawn' }]);
  });
});

test('a skeleton moves the points of its mesh to the pose that its animation begins with', async () => {
  const joint = (matrix: string) => `[( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), ${matrix} )]`;
  const rig = (animation: string) => `def SkelRoot "rig" {
    ${square(
      'skin',
      `rel skel:skeleton = </rig/bones>
      int[] primvars:skel:jointIndices = [0, 0, 0, 0] (elementSize = 1; interpolation = "vertex")
      float[] primvars:skel:jointWeights = [1, 1, 1, 1] (elementSize = 1; interpolation = "vertex")`,
    )}
    def Skeleton "bones" {
      uniform token[] joints = ["hip"]
      uniform matrix4d[] bindTransforms = ${joint('(0, 0, 0, 1)')}
      uniform matrix4d[] restTransforms = ${joint('(0, 5, 0, 1)')}
      ${animation}
    }
    def SkelAnimation "walk" {
      uniform token[] joints = ["hip"]
      float3[] translations.timeSamples = { 1: [(7, 0, 0)], 2: [(9, 0, 0)] }
      quatf[] rotations = [(1, 0, 0, 0)]
      half3[] scales = [(1, 1, 1)]
    }
  }`;
  expect(box((await loaded(rig(''))).instances)).toEqual([0, 5, 0, 1, 6, 0]);
  const animated = await loaded(rig('rel skel:animationSource = </rig/walk>'));
  expect(box(animated.instances)).toEqual([7, 0, 0, 8, 1, 0]);
});

test('variants are offered, and the chosen one is drawn', async () => {
  const file = `def Xform "a" (variants = { string size = "small" }; prepend variantSets = "size") {
    variantSet "size" = { "small" { ${square('s', '', 1)}\n} "large" { ${square('s', '', 4)}\n} }
  }`;
  const { variants, instances } = await loaded(file);
  expect(variants).toEqual([{ prim: '/a', set: 'size', choices: ['small', 'large'], selected: 'small' }]);
  expect(box(instances)).toEqual([0, 0, 0, 1, 1, 0]);
  const large = await loaded(file, { variants: { '/a': { size: 'large' } } });
  expect(box(large.instances)).toEqual([0, 0, 0, 4, 4, 0]);
});

test('references that lead nowhere, unknown surfaces and prims that are not drawn are named', async () => {
  const { missing } = await loaded(`def Xform "a" (prepend references = @lost.usda@) {
    ${square('s', 'rel material:binding = </a/m>')}
    def Material "m" { token outputs:surface.connect = </a/m/x.outputs:out>; def Shader "x" { uniform token info:id = "PxrSurface"; token outputs:out; }\n}
    def Volume "smoke" {}
  }`);
  expect(missing).toEqual([
    { name: 'lost.usda', reason: 'is not there' },
    { name: '/a/smoke', reason: 'prims of type Volume are not drawn' },
    { name: '/a/m', reason: 'surfaces of kind PxrSurface are not drawn' },
  ]);
});

describe('a stage whose bodies joints connect is a robot', () => {
  const arm = async (options?: Options) => {
    const context = createRendererContext(memoryFiles(new Map([['arm.usda', Buffer.from(USD_ARM)]])));
    const { model } = await loadUsdModel('arm.usda', context, options);
    if (!('mechanism' in model)) throw new Error('no robot');
    return model.mechanism;
  };

  test('has a thumbnail, as a shape has', async () => {
    const files = memoryFiles(new Map([['arm.usda', Buffer.from(USD_ARM)]]));
    expect(await renderThumbnail({ kind: 'usd', format: 'usda', entry: 'arm.usda', files })).toMatchObject({
      webp: expect.any(Uint8Array),
    });
  });

  test('with limits in radians and metres, and each joint from the world outwards', async () => {
    const { bodies } = await arm();
    expect(bodies.map(({ name, parent }) => [name, parent])).toEqual([
      ['base', undefined],
      ['link', 'base'],
      ['hand', 'link'],
    ]);
    expect(bodies.map(({ inertial }) => inertial?.mass ?? 0).reduce((sum, mass) => sum + mass)).toBe(3);
    const [shoulder, grip] = bodies.flatMap(({ joints }) => joints);
    expect([shoulder?.type, grip?.type]).toEqual(['hinge', 'slide']);
    expect(shoulder?.limits?.map((limit) => limit.toFixed(3))).toEqual(['-1.571', '0.785']);
    expect(shoulder?.reference).toBe(0);
    // The hand is the first body of its joint: it moves against the axis, by a tenth of a metre already.
    expect(grip?.limits).toEqual([-0.2, 0]);
    expect(grip?.axis).toEqual([-0, -1, -0]);
    expect(grip?.reference).toBeCloseTo(-0.1);
  });

  test('with Z up, its shapes at their links, and what it collides with apart', async () => {
    const shown = ({ bodies }: Mechanism) =>
      bodies.flatMap(({ name, shapes }) =>
        shapes.flatMap(drawnParts).map((part) => [name, ...box([part]).slice(3)]),
      );
    const seen = await arm();
    expect(shown(seen)).toEqual([
      ['base', 0.1, 0.1, 0.1],
      ['link', 0.05, 0.05, 0.05],
      ['hand', 0.03, 0.03, 0.03],
    ]);
    const hand = placeBodies(seen, atRest(seen)).get('hand');
    expect(hand?.slice(12, 15).map((part) => part.toFixed(2))).toEqual(['0.00', '0.00', '0.80']);
    expect(shown(await arm({ roles: ['collision'] }))).toEqual([['link', 0.06, 0.06, 0.06]]);
  });
});
