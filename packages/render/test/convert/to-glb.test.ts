import { WebIO } from '@gltf-transform/core';
import { KHRTextureTransform } from '@gltf-transform/extensions';
import { validateBytes } from 'gltf-validator';
import { expect, test } from 'vitest';
import { loadMesh } from '../../../formats/src/read.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { type Conversion, convertModel } from '../../src/convert/convert.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { statisticsOf } from '../../src/statistics.ts';
import { machineFiles } from '../models/machine.ts';
import { obj } from '../models/meshes.ts';

function pylonFiles(): Map<string, Uint8Array> {
  const pylon = obj();
  return new Map([
    ['pylon.obj', pylon.obj],
    ['pylon.mtl', pylon.mtl],
  ]);
}

async function convertedMachine(): Promise<Conversion> {
  const files = memoryFiles(await machineFiles());
  return convertModel({ kind: 'mjcf', format: 'mjcf', entry: 'machine.xml', files, target: 'glb' });
}

async function documentOf({ entry, files }: Conversion) {
  const io = new WebIO().registerExtensions([KHRTextureTransform]);
  return (await io.readBinary(Uint8Array.from(files.get(entry) ?? []))).getRoot();
}

test('a robot becomes glTF in which every body weighs the same and goes the same ways', async () => {
  const { proof } = await convertedMachine();
  expect(proof.map(({ what }) => what)).toContain('frames of 7 bodies in 1000 random poses, in metres');
  for (const { what, measured, bound } of proof) expect(measured, what).toBeLessThanOrEqual(bound);
});

test('the file is valid by the rules of Khronos', async () => {
  const { entry, files } = await convertedMachine();
  const { issues } = await validateBytes(files.get(entry) ?? new Uint8Array());
  expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
});

test('a robot without anything to see is valid too', async () => {
  const model =
    '<mujoco><worldbody><body name="b"><joint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></worldbody></mujoco>';
  const files = memoryFiles(new Map([['bare.xml', new TextEncoder().encode(model)]]));
  const request = { kind: 'mjcf', format: 'mjcf', entry: 'bare.xml', files } as const;
  const { entry, files: written } = await convertModel({ ...request, target: 'glb' });
  const { issues } = await validateBytes(written.get(entry) ?? new Uint8Array());
  expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
});

test('our own loader sees all of its triangles, upright', async () => {
  const { entry, files } = await convertedMachine();
  const scene = await loadMesh(entry, createRendererContext(memoryFiles(files)));
  expect(scene.up).toBe('y');
  const { size, textures } = statisticsOf(scene, undefined);
  // The ball, which is the highest, ends at 1.1 m.
  expect(size?.[1]).toBeGreaterThan(0.8);
  expect(textures).toBe(1);
});

test('a robot that faces along X faces along Z, as glTF has it', async () => {
  const model = '<mujoco><worldbody><geom type="box" size="0.4 0.2 0.1"/></worldbody></mujoco>';
  const files = memoryFiles(new Map([['box.xml', new TextEncoder().encode(model)]]));
  const request = { kind: 'mjcf', format: 'mjcf', entry: 'box.xml', files } as const;
  const { entry, files: written } = await convertModel({ ...request, target: 'glb' });
  const scene = await loadMesh(entry, createRendererContext(memoryFiles(written)));
  expect(statisticsOf(scene, undefined).size).toEqual([0.4, 0.2, 0.8]);
});

test('joints are nodes above their bodies, with what moves and limits them', async () => {
  const nodes = (await documentOf(await convertedMachine())).listNodes();
  const swing = nodes.find((node) => node.getName() === 'swing');
  expect(swing?.getExtras().joint).toMatchObject({
    type: 'hinge',
    reference: 0.25,
    limits: [-1, 2],
    damping: 0.5,
  });
  expect(swing?.getRotation()).toEqual([0, 0, 0, 1]);
  const [reach] = swing?.listChildren() ?? [];
  const [arm] = reach?.listChildren() ?? [];
  expect([reach?.getName(), arm?.getName()]).toEqual(['reach', '1st arm']);
});

test('a mesh that is placed twice is stored once', async () => {
  const root = await documentOf(await convertedMachine());
  const towers = root.listMeshes().filter((mesh) => mesh.getName() === 'tower');
  const positions = towers.map((mesh) => mesh.listPrimitives()[0]?.getAttribute('POSITION'));
  // One of them has texture coordinates, of which glTF keeps another copy of the rest.
  expect(new Set(positions).size).toBeLessThanOrEqual(2);
  expect(root.listTextures().length).toBe(1);
});

test('what glTF cannot say is lost by name', async () => {
  const { losses } = await convertedMachine();
  expect(losses.map(({ what, names }) => [what, ...names].join(' '))).toEqual([
    'keyframe home',
    'plane floor',
    'actuator servo actuator_1 actuator_2',
    'excluded contact left/base and finger',
    'collision shapes',
  ]);
});

test('a mesh becomes glTF with its materials, and without a unit is taken to be in metres', async () => {
  const files = memoryFiles(pylonFiles());
  const {
    entry,
    files: written,
    losses,
  } = await convertModel({
    kind: 'mesh',
    format: 'obj',
    entry: 'pylon.obj',
    files,
    target: 'glb',
  });
  const source = await loadMesh('pylon.obj', createRendererContext(files));
  const scene = await loadMesh(entry, createRendererContext(memoryFiles(written)));
  expect(statisticsOf(scene, undefined).triangles).toBe(statisticsOf(source, undefined).triangles);
  const colors = (one: typeof scene) => new Set(one.instances.map(({ material }) => material.baseColor));
  expect(colors(scene)).toEqual(colors(source));
  expect(losses.map(({ what }) => what)).toEqual(['unit of length']);
});

test('a texture that cannot be read is lost by name', async () => {
  const [pylon] = [...pylonFiles().values()];
  const files = memoryFiles(
    new Map<string, Uint8Array>([
      ['pylon.obj', pylon ?? new Uint8Array()],
      ['pylon.mtl', new TextEncoder().encode('newmtl base\nmap_Kd paint.png\n')],
    ]),
  );
  const request = { kind: 'mesh', format: 'obj', entry: 'pylon.obj', files } as const;
  const { losses } = await convertModel({ ...request, target: 'glb' });
  expect(losses).toContainEqual({ what: 'texture', names: ['paint.png'], why: 'no such file' });
});
