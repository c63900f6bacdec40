import { hash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Crop } from '../../formats/src/images/crop.ts';
import {
  IDENTITY,
  type Matrix4,
  multiply,
  rotation,
  scaling,
  translation,
} from '../../formats/src/model/matrix.ts';
import { box, cone, cylinder } from '../../formats/src/model/primitives.ts';
import {
  DEFAULT_MATERIAL,
  type Geometry,
  type Image,
  type Material,
  type Scene,
} from '../../formats/src/model/scene.ts';
import { memoryFiles } from '../../formats/src/reading/asset-files.ts';
import { DESCRIPTOR_VERSION, describePicture, describeScene } from '../src/describe/describe.ts';
import { drawScene } from '../src/draw-scene.ts';
import { describeImage } from '../src/thumbnail.ts';

const RED: Material = { ...DEFAULT_MATERIAL, baseColor: [0.8, 0.02, 0.02, 1] };

function sceneOf(parts: readonly [Geometry, Matrix4][], material: Material = RED): Scene {
  return {
    up: 'y',
    instances: parts.map(([geometry, transform]) => ({ geometry, material, transform })),
    points: [],
  };
}

/** A lamp: a foot, a pole and a shade. */
const lamp: [Geometry, Matrix4][] = [
  [cylinder(0.2, 0.02), rotation([1, 0, 0], Math.PI / 2)],
  [cylinder(0.02, 0.5), multiply(translation(0, 0.5, 0), rotation([1, 0, 0], Math.PI / 2))],
  [cone(0.25, 0.15), multiply(translation(0.1, 1.1, 0), rotation([1, 0, 0], -Math.PI / 2))],
];
const chest: [Geometry, Matrix4][] = [
  [box(0.4, 0.2, 0.25), IDENTITY],
  [box(0.42, 0.05, 0.27), translation(0, 0.25, 0)],
];

function moved(parts: readonly [Geometry, Matrix4][], by: Matrix4): [Geometry, Matrix4][] {
  return parts.map(([geometry, transform]) => [geometry, multiply(by, transform)]);
}

/** The same triangles in another order, none of which share vertices. */
function exported({ positions, normals, indices }: Geometry): Geometry {
  const triangles = Array.from({ length: indices.length / 3 }, (_, at) => at).toSorted(
    (a, b) => ((a * 7) % 11) - ((b * 7) % 11),
  );
  const corners = triangles.flatMap((at) => [...indices.subarray(at * 3, at * 3 + 3)]);
  const copy = (table: Float32Array) =>
    Float32Array.from(corners.flatMap((vertex) => [...table.subarray(vertex * 3, vertex * 3 + 3)]));
  return {
    positions: copy(positions),
    normals: copy(normals),
    indices: Uint32Array.from(corners, (_, at) => at),
  };
}

const SHAPE = 216;

function shapeDistance(a: Scene, b: Scene): number {
  const [first, second] = [describeScene(a), describeScene(b)];
  return distance(first!.subarray(0, SHAPE), second!.subarray(0, SHAPE));
}

function distance(a: Uint8Array, b: Uint8Array): number {
  return Math.hypot(...a.map((value, at) => Math.abs(value - (b[at] as number))));
}

/** From here on, two models are the same for the service. */
const SAME = 30;

describe('the shape of a model', () => {
  test.each<[string, Matrix4]>([
    ['scaled', scaling(0.0254, 0.0254, 0.0254)],
    ['turned', rotation([1, 2, 3], 1)],
    ['mirrored', scaling(-1, 1, 1)],
    ['elsewhere', translation(3, -2, 9)],
  ])('is the same %s', (_, by) => {
    expect(shapeDistance(sceneOf(lamp), sceneOf(moved(lamp, by)))).toBeLessThan(SAME / 3);
  });

  test('is the same from a program that orders triangles in its own way', () => {
    const parts = lamp.map(([geometry, transform]): [Geometry, Matrix4] => [exported(geometry), transform]);
    expect(shapeDistance(sceneOf(lamp), sceneOf(parts))).toBeLessThan(SAME / 2);
  });

  test('is nearer to a cloud of points from its surface than that of another model', () => {
    const points = Float32Array.from(
      Array.from({ length: 10_000 }, (_, at) => {
        const [v, w] = [((at * 0.7549) % 1) * 2 - 1, ((at * 0.5698) % 1) * 2 - 1];
        const side = at % 2 === 0 ? 1 : -1;
        return [
          [side, v, w],
          [v, side, w],
          [v, w, side],
        ][at % 3] as number[];
      }).flat(),
    );
    const cloud: Scene = { up: 'y', instances: [], points: [{ positions: points, transform: IDENTITY }] };
    const cube = sceneOf([[box(1, 1, 1), IDENTITY]]);
    expect(shapeDistance(cloud, cube)).toBeLessThan(shapeDistance(cloud, sceneOf(lamp)) / 2);
  });

  test('is another for another model', () => {
    expect(shapeDistance(sceneOf(lamp), sceneOf(chest))).toBeGreaterThan(3 * SAME);
  });

  test('is nothing for a model without a surface', () => {
    expect(describeScene({ up: 'y', instances: [], points: [] })).toBeUndefined();
  });
});

test('DESCRIPTOR_VERSION changes whenever the bytes of descriptors change', () => {
  const { positions, ...shell } = box(0.4, 0.2, 0.25);
  const perVertex = (width: number, value: (at: number) => number) =>
    Float32Array.from({ length: (positions.length / 3) * width }, (_, at) => value(at));
  const painted: Geometry = {
    ...shell,
    positions,
    uvs: perVertex(2, (at) => ((at * 5) % 7) / 6),
    colors: perVertex(4, (at) => (at % 4 === 3 ? 1 : ((at * 3) % 11) / 10)),
  };
  const texels = Uint8Array.from({ length: 4 * 4 * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at * 37) % 256));
  const levels = [{ width: 4, height: 4, data: texels }];
  const texture = { levels, wrapU: 'repeat', wrapV: 'repeat', uvSet: 0 } as const;
  const scenes = [
    sceneOf(lamp),
    sceneOf([[painted, IDENTITY]], { ...DEFAULT_MATERIAL, baseColorTexture: texture }),
  ];
  const digests = scenes.map((scene) => hash('sha256', describeScene(scene) as Uint8Array).slice(0, 16));
  expect([DESCRIPTOR_VERSION, ...digests]).toEqual(['shape-1', 'ea1da0ebf66e9b49', '6f525814ea4bb1f6']);
});

test('a picture of a model is nearer to its outlines than one of another model', () => {
  const picture = describePicture(drawScene(sceneOf(lamp)));
  const outline = picture!.subarray(33);
  const nearest = (scene: Scene) => {
    const outlines = describeScene(scene)!.subarray(249);
    return Math.min(
      ...Array.from({ length: 8 }, (_, view) =>
        distance(outlines.subarray(view * 28, view * 28 + 28), outline),
      ),
    );
  };
  expect(nearest(sceneOf(lamp))).toBeLessThan(nearest(sceneOf(chest)) / 2);
});

/** A picture in front of a wall with stripes and a floor of gravel, with light from one side. */
function inRoom({ width, height, data }: Image): Image {
  const room = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    const light = 1 - (0.3 * x) / width;
    const wall = y % 8 < 4 ? [150, 170, 190] : [110, 140, 160];
    const stone = ((Math.floor(x / 3) * 7_919 + Math.floor(y / 3) * 104_729) % 101) * 0.6;
    const floor = [90 + stone, 70 + stone, 50 + stone];
    const opacity = (data[at + 3] as number) / 255;
    for (const [channel, value] of (y < height * 0.6 ? wall : floor).entries())
      room[at + channel] = (data[at + channel] as number) * opacity + value * light * (1 - opacity);
    room[at + 3] = 255;
  }
  return { width, height, data: room };
}

test('a picture shows the same thing in a room as by itself', () => {
  const picture = drawScene(sceneOf(lamp));
  const [alone, inFront] = [describePicture(picture), describePicture(inRoom(picture))];
  const other = describePicture(drawScene(sceneOf(chest)));
  expect(distance(inFront!.subarray(33), alone!.subarray(33))).toBeLessThan(
    distance(other!.subarray(33), alone!.subarray(33)) / 4,
  );
});

test('an empty room shows nothing', () => {
  expect(describePicture(inRoom({ width: 320, height: 240, data: new Uint8Array(307_200) }))).toBeUndefined();
});

test('of a picture that lies on its side, a box shows what is there when it stands upright', async () => {
  const [left, right] = [drawScene(sceneOf(lamp)), drawScene(sceneOf(chest))];
  const raw = { width: left.width, height: left.height, channels: 4 } as const;
  const both = await sharp(left.data, { raw })
    .extend({ right: right.width, background: 'white' })
    .composite([{ input: Buffer.from(right.data), raw, left: left.width, top: 0 }])
    .flatten({ background: 'white' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const lying = await sharp(both.data, { raw: both.info })
    .rotate(-90)
    .withMetadata({ orientation: 6 })
    .png()
    .toBuffer();
  const files = memoryFiles(new Map([['both.png', new Uint8Array(lying)]]));
  const described = async (crop?: Crop) => describeImage({ kind: 'image', entry: 'both.png', files, crop });
  const box = await described([left.width + 60, 60, right.width - 120, right.height - 120]);
  const alone = describePicture(right)!;
  const bytes = Buffer.from((box as { descriptor: string }).descriptor, 'base64');
  expect(distance(bytes.subarray(33), alone.subarray(33))).toBeLessThan(20);
  expect(await described()).not.toEqual(box);
  expect(await described([2_000, 0, 10, 10])).toEqual({
    warning: `it has ${left.width * 2} × ${left.height} pixels, so nothing is at 2000,0`,
  });
});

test('a picture without anything on its background shows nothing', () => {
  expect(describePicture({ width: 8, height: 8, data: new Uint8Array(256).fill(200) })).toBeUndefined();
});
