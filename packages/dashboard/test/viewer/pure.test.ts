import { imageSize } from '@bindery/formats';
import { Unrenderable } from '@bindery/render/models';
import fc from 'fast-check';
import * as THREE from 'three';
import { describe, expect, test } from 'vitest';
import { buffersIn } from '../../src/ask.ts';
import { formatLength, formatSize } from '../../src/format-quantities.ts';
import { markupParts } from '../../src/markdown/markup.ts';
import { countDrawnElements } from '../../src/viewer/drawn-elements.ts';
import { type Gltf, readGltfFile } from '../../src/viewer/gltf/container.ts';
import { withoutTextures } from '../../src/viewer/gltf/images.ts';
import { surveyGltf } from '../../src/viewer/gltf/survey.ts';
import { NORMAL_LIMITS } from '../../src/viewer/limits.ts';
import { Arrows } from '../../src/viewer/scene/arrows.ts';
import { type Reachable, reach } from '../../src/viewer/scene/reach.ts';
import { splatHeader } from '../../src/viewer/splats/headers.ts';
import { fieldOfView, frameThreeQuarter, gridStep } from '../../src/viewer/stage/framing.ts';
import { sizeOf, withUpAxis } from '../../src/viewer/viewers/axes.ts';
import { viewerFor } from '../../src/viewer/viewers/select-viewer.ts';
import { gunzipSync } from '../../src/viewer/workers/zlib.ts';
import { boxGlb, glb, triangleGltf } from './models.ts';

const limits = NORMAL_LIMITS;
const bytes = (...values: number[]) => Uint8Array.from(values);

describe('the survey of a glTF file', () => {
  const triangle = triangleGltf().json as Gltf;

  test('counts the triangles of a mesh once for each node that shows it', () => {
    const nodes = [{ children: [1, 2] }, { mesh: 0 }, { mesh: 0 }];
    expect(surveyGltf({ ...triangle, nodes }, limits)).toEqual({ triangles: 2, nodes: 3 });
  });

  test.each([
    [
      'mesh instances',
      { nodes: [copiesOf(1)], accessors: [...(triangle.accessors ?? []), { count: 10 ** 9 }] },
    ],
    ['accessors without bytes', { accessors: [{ count: 10 ** 9, type: 'VEC3', componentType: 5126 }] }],
    ['negative counts', { accessors: [{ count: -1, type: 'VEC3', componentType: 5126 }] }],
    [
      'buffer views compressed with meshopt',
      { bufferViews: [{ extensions: { EXT_meshopt_compression: { count: 10 ** 6, byteStride: 10 ** 6 } } }] },
    ],
  ])('refuses a file beyond the limits: %s', (_, parts) => {
    expect(() => surveyGltf({ ...triangle, ...parts } as Gltf, limits)).toThrow(/too large/);
  });

  test('returns counts or throws a reason, whatever the nodes', () => {
    const index = fc.integer({ min: -1, max: 6 });
    const node = fc.record({ mesh: index, children: fc.array(index, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        try {
          expect(surveyGltf({ ...triangle, nodes }, limits).nodes).toBeLessThanOrEqual(nodes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(Unrenderable);
        }
      }),
    );
  });
});

function copiesOf(accessor: number) {
  return { mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: accessor } } } };
}

describe('a GLB', () => {
  test('is split into its JSON and its binary data', () => {
    const { json, binary } = readGltfFile(new Uint8Array(boxGlb()));
    expect(json.meshes).toHaveLength(1);
    expect(binary?.byteLength).toBe(36);
  });

  test('is refused wherever it is truncated', () => {
    const whole = new Uint8Array(boxGlb());
    for (let length = 0; length < whole.length; length += 7)
      expect(() => readGltfFile(whole.slice(0, length))).toThrow(Unrenderable);
  });

  test('of another glTF version is refused', () => {
    const old = new Uint8Array(glb({ asset: { version: '1.0' } }, bytes()));
    expect(() => readGltfFile(old)).toThrow('only glTF 2.0');
  });
});

test('unreadable textures are removed from their materials, and readable ones are kept', () => {
  const { json, missing } = withoutTextures(
    {
      extensionsRequired: ['KHR_texture_basisu'],
      textures: [
        { extensions: { KHR_texture_basisu: { source: 0 } } },
        { source: 0, extensions: { EXT_texture_webp: { source: 1 } } },
      ],
      materials: [
        {
          normalTexture: { index: 0 },
          pbrMetallicRoughness: { baseColorTexture: { index: 1 }, roughnessFactor: 1 },
        },
      ],
    },
    (image) => image === 1,
  );
  expect(missing).toBe(1);
  expect(json.extensionsRequired).toEqual([]);
  expect(json.textures?.[1]).toEqual({ source: 1 });
  expect(json.materials).toEqual([
    { pbrMetallicRoughness: { baseColorTexture: { index: 1 }, roughnessFactor: 1 } },
  ]);
});

describe('the size of an image', () => {
  test.each([
    [
      'PNG',
      bytes(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 44, 0, 0, 0, 200),
      [300, 200],
    ],
    ['GIF', bytes(0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 44, 1, 200, 0), [300, 200]],
    ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 200, 1, 44, 0), [300, 200]],
    ['lossless WebP', webp('VP8L', 0x2f, 43, 0x81, 49, 0), [300, 199]],
    ['extended WebP', webp('VP8X', 0, 0, 0, 0, 43, 1, 0, 199, 0, 0), [300, 200]],
  ])('is read from the header: %s', (_, image, [width, height]) => {
    expect(imageSize(image)).toEqual({ width, height });
  });

  test('is undefined or not negative for arbitrary bytes, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (image) => {
        const size = imageSize(image);
        expect(size === undefined || (size.width >= 0 && size.height >= 0)).toBe(true);
      }),
    );
  });
});

function webp(chunk: string, ...content: number[]): Uint8Array {
  const text = (word: string) => [...word].map((character) => character.charCodeAt(0));
  return bytes(...text('RIFF'), 0, 0, 0, 0, ...text('WEBP'), ...text(chunk), 0, 0, 0, 0, ...content);
}

describe('the header of a splat file', () => {
  const ply = (count: number, body: number) => {
    const header = `ply\nformat binary_little_endian 1.0\nelement vertex ${count}\nproperty float scale_0\nend_header\n`;
    return new Uint8Array([...new TextEncoder().encode(header), ...new Uint8Array(body)]);
  };

  test('gives the number of splats', () => {
    expect(splatHeader('a.ply', ply(3, 12))).toMatchObject({ count: 3 });
    expect(splatHeader('a.splat', new Uint8Array(70))).toMatchObject({ count: 2 });
  });

  test('that announces more splats than the file has is refused', () => {
    expect(() => splatHeader('a.ply', ply(4, 12))).toThrow('announces 4 splats and ends before them');
  });

  test('is undefined for a PLY file without splats', () => {
    const mesh = 'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n';
    expect(splatHeader('a.ply', new TextEncoder().encode(mesh))).toBeUndefined();
  });
});

test('unpacking a gzip bomb fails if its output is longer than allowed', async () => {
  const stream = new Blob([new Uint8Array(10_000_000)]).stream().pipeThrough(new CompressionStream('gzip'));
  const bomb = new Uint8Array(await new Response(stream).arrayBuffer());
  expect(() => gunzipSync(bomb, { maxOutputLength: 1_000_000 })).toThrow(RangeError);
  expect(gunzipSync(bomb, { maxOutputLength: 10_000_000 })).toHaveLength(10_000_000);
});

describe('the camera view', () => {
  const coordinate = fc.double({ min: -100, max: 100, noNaN: true });
  const point = fc.tuple(coordinate, coordinate, coordinate).map((place) => new THREE.Vector3(...place));

  test('contains the lowest and the highest corner of every box that it frames', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(point, point), { minLength: 1, maxLength: 4 }), (pairs) => {
        const boxes = pairs.map((pair) => new THREE.Box3().setFromPoints(pair));
        const framing = frameThreeQuarter(boxes);
        if (framing === undefined) throw new Error('nothing is framed');
        const camera = new THREE.PerspectiveCamera(fieldOfView(1), 1, 1e-4, 1e5);
        camera.position.copy(framing.position);
        camera.lookAt(framing.target);
        camera.updateMatrixWorld();
        for (const { min, max } of boxes) {
          for (const corner of [min, max]) {
            const seen = corner.clone().project(camera);
            expect(Math.max(Math.abs(seen.x), Math.abs(seen.y))).toBeLessThan(1.001);
          }
        }
      }),
    );
  });

  test('is undefined if there is nothing to frame', () => {
    expect(frameThreeQuarter([])).toBeUndefined();
  });

  test('is as wide on a narrow screen as on a square one', () => {
    const halfWidth = Math.tan(THREE.MathUtils.degToRad(fieldOfView(0.5) / 2)) * 0.5;
    expect(halfWidth).toBeCloseTo(Math.tan(THREE.MathUtils.degToRad(fieldOfView(1) / 2)));
  });
});

test('the cells of the grid are powers of ten, about ten to a model', () => {
  expect([0.3, 1, 8, 250].map(gridStep)).toEqual([0.1, 0.1, 1, 10].map((step) => expect.closeTo(step)));
  expect(gridStep(0)).toBe(1);
});

test('lengths are written in mm, cm, m or km by their size, without a unit if it is unknown', () => {
  expect([0.0042, 0.12, 2.5, 1200].map((length) => formatLength(length, 'm'))).toEqual([
    '4.2 mm',
    '12 cm',
    '2.5 m',
    '1.2 km',
  ]);
  expect(formatLength(2.5678, undefined)).toBe('2.57');
  expect(formatSize([0.54, 1.2, 0.012], 'm')).toBe('0.54 × 1.2 × 0.012 m');
});

test('sizes are width, depth and height as seen from the front', () => {
  expect(sizeOf({ x: 1, y: 2, z: 3 })).toEqual([1, 3, 2]);
});

test('a different up axis rotates the model, and the same axis leaves it unchanged', () => {
  const up = (frame: readonly number[], axis: 'y' | 'z') =>
    new THREE.Vector3(0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0).applyMatrix4(
      new THREE.Matrix4().fromArray([...frame]),
    );
  const identity = new THREE.Matrix4().toArray() as unknown as Parameters<typeof withUpAxis>[0];
  expect(withUpAxis(identity, 'y', 'y')).toBe(identity);
  expect(up(withUpAxis(identity, 'y', 'z'), 'z').toArray()).toEqual([0, 1, 0]);
});

describe('the viewer of an asset', () => {
  test.each([
    ['mjcf', 'a.xml'],
    ['urdf', 'a.URDF'],
    ['mesh', 'a.glb'],
    ['file', 'LICENSE'],
    ['file', 'model.sdf'],
    ['newer-kind', 'a.ply'],
  ])('exists for %s %s', (kind, entry) => expect(viewerFor(kind, entry)).toBeDefined());

  test.each([
    ['mesh', 'a.max'],
    ['file', 'constructor'],
    ['toString', 'a.__proto__'],
  ])('does not exist for %s %s', (kind, entry) => expect(viewerFor(kind, entry)).toBeUndefined());
});

test('each buffer in the response of a worker is listed once for transfer', () => {
  const shared = new Float32Array(4);
  const answer = { a: [shared, { b: shared.subarray(1) }], c: new Map([['d', new Uint8Array(2)]]) };
  expect(buffersIn(answer)).toHaveLength(2);
});

describe('HTML in Markdown', () => {
  test('shows words, images and line breaks, but no scripts, styles or comments', () => {
    const html = `<p align=center>A <b>red</b> &lt;arm&gt; &copy;&#x2192;&unheard;<br><!-- no --><img src='a b.png' alt="Arm" onerror="alert(1)">
      <script>alert(1)</script></p><style>p {}</style><IMG SRC=b.png>`;
    expect(markupParts(html)).toEqual([
      { type: 'text', text: 'A red <arm> ©→&unheard;' },
      { type: 'break' },
      { type: 'image', href: 'a b.png', text: 'Arm' },
      { type: 'break' },
      { type: 'image', href: 'b.png', text: '' },
    ]);
  });
});

describe('the elements that an SVG draws', () => {
  test.each([
    ['are counted once each', '<svg><g><path/></g></svg>', 4],
    ['include those of each use', '<svg><path id="a"/><use href="#a"/><use xlink:href="#a"/></svg>', 7],
    ['include those of patterns', '<svg><pattern id="p"><path/></pattern><path fill="url(#p)"/></svg>', 7],
    ['leave out circles', '<svg><g id="a"><use href="#a"/></g></svg>', 4],
  ])('%s', (_, svg, count) => expect(countDrawnElements(svg)).toBe(count));

  test('are too many where they are nested without end', () => {
    expect(countDrawnElements(`<svg>${'<g>'.repeat(100_000)}`)).toBe(Number.POSITIVE_INFINITY);
  });
});

/** An arm of hinges about Z in a row, each a metre from the next, and the point at its end. */
function armOf(values: number[]): Reachable {
  const places = () => {
    let [x, y, angle] = [0, 0, 0];
    return [...values, 0].map((value) => {
      const place: [number, number, number] = [x, y, 0];
      angle += value;
      [x, y] = [x + Math.cos(angle), y + Math.sin(angle)];
      return place;
    });
  };
  return {
    point: () => places().at(-1) ?? [0, 0, 0],
    levers: () =>
      values.map((_, joint) => ({
        joint,
        factor: 1,
        type: 'hinge',
        axis: [0, 0, 1],
        anchor: places()[joint] ?? [0, 0, 0],
      })),
    value: (joint) => values[joint] ?? 0,
    set: (joint, value) => {
      values[joint] = value;
    },
  };
}

describe('joints that follow a dragged point', () => {
  const limits = { name: '', unit: 'rad', min: -2, max: 2, value: 0 } as const;
  const arm = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 2, maxLength: 8 });

  test('bring it to where an arm could have put it', () => {
    const values = [0.4, 0.5, 0.6];
    const [model, joints] = [armOf(values), values.map(() => limits)];
    const to = armOf([-0.3, 1.2, 0.2]).point();
    for (let frame = 0; frame < 4; frame++) reach(model, joints, to);
    for (const [axis, value] of model.point().entries()) expect(value).toBeCloseTo(to[axis] ?? 0, 4);
  });

  test('stay within their limits, wherever it is dragged', () => {
    fc.assert(
      fc.property(arm, fc.double({ min: -9, max: 9, noNaN: true }), (values, far) => {
        reach(
          armOf(values),
          values.map(() => limits),
          [far, -far, far],
        );
        for (const value of values) expect(Math.abs(value)).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('stay where they are if none of them moves it', () => {
    const still: Reachable = { ...armOf([0.1]), levers: () => [] };
    reach(still, [], [1, 2, 3]);
    expect(still.value(0)).toBe(0.1);
  });
});

test('no more arrows are drawn than were asked for', () => {
  const arrows = new Arrows(2);
  const one = { from: new THREE.Vector3(), along: new THREE.Vector3(0, 0, 1) };
  arrows.show([one, one, one], 0.1);
  const [shafts] = arrows.object.children as THREE.InstancedMesh[];
  expect(shafts?.count).toBe(2);
});
