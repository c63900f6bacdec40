import sharp from 'sharp';
import { usdArchive, usdCrate } from '../../../../test/usd-crate.ts';
import { pylon3mf } from './3mf.ts';
import { pylonAmf } from './amf.ts';
import { off, pcd, pts, xyz } from './clouds.ts';
import { pylonDae } from './collada.ts';
import { pylonFbx } from './fbx.ts';
import { glb, gltfPylon } from './gltf.ts';
import { asciiStl, binaryStl, obj, ply } from './meshes.ts';
import { MJCF, SDF, towerStl, URDF, XACRO } from './robots.ts';
import {
  compressedPly,
  gltfSplats,
  ksplat,
  pylonSplats,
  sog,
  splat,
  splatPly,
  spz,
  streamedSog,
} from './splats.ts';
import { pylonStep } from './step.ts';
import { usdPylon } from './usd.ts';
import { pylonVrml } from './vrml.ts';
import { zip } from './zip.ts';

/** A generated asset of one kind and format. */
export interface Sample {
  readonly name: string;
  readonly kind: 'mjcf' | 'urdf' | 'sdf' | 'mesh' | 'splat' | 'image';
  readonly entry: string;
  readonly files: Map<string, Uint8Array>;
  /** The format holds colours. */
  readonly colored: boolean;
}

/** The pylon in every kind and format that is drawn. */
export async function everySample(): Promise<Sample[]> {
  return [...(await meshSamples()), ...robotSamples(), ...(await splatSamples()), ...(await imageSamples())];
}

async function meshSamples(): Promise<Sample[]> {
  const plain = await gltfPylon();
  const draco = await gltfPylon('draco');
  const meshopt = await gltfPylon('meshopt');
  const beside = {
    ...plain.document,
    buffers: [{ uri: 'pylon%20data.bin', byteLength: plain.buffer.length }],
  };
  const inside = `data:application/octet-stream;base64,${Buffer.from(plain.buffer).toString('base64')}`;
  const embedded = { ...plain.document, buffers: [{ uri: inside, byteLength: plain.buffer.length }] };
  const wavefront = obj();
  return [
    mesh('glb', 'pylon.glb', glb(plain.document, plain.buffer)),
    mesh('glb with Draco', 'pylon.glb', glb(draco.document, draco.buffer)),
    mesh('glb with meshopt', 'pylon.glb', glb(meshopt.document, meshopt.buffer)),
    mesh('gltf with a buffer inside', 'pylon.gltf', json(embedded)),
    mesh('gltf with a buffer beside it', 'a b/pylon.gltf', json(beside), [
      ['a b/pylon data.bin', plain.buffer],
    ]),
    mesh('dae with Y up', 'pylon.dae', pylonDae('y')),
    mesh('dae with Z up', 'pylon.DAE', pylonDae('z')),
    { ...mesh('step', 'pylon.step', pylonStep()), colored: false },
    mesh('vrml', 'pylon.wrl', pylonVrml()),
    mesh('3mf', 'pylon.3mf', pylon3mf()),
    mesh('amf', 'pylon.amf', pylonAmf()),
    mesh('binary fbx 6.1', 'pylon.fbx', pylonFbx('binary', 6100)),
    mesh('binary fbx 7.4', 'pylon.fbx', pylonFbx('binary', 7400)),
    mesh('binary fbx 7.5', 'pylon.fbx', pylonFbx('binary', 7500)),
    mesh('fbx 6.1 as text', 'pylon.fbx', pylonFbx('text', 6100)),
    mesh('fbx 7.4 as text', 'pylon.fbx', pylonFbx('text', 7400)),
    mesh('obj with mtl', 'pylon.obj', wavefront.obj, [['pylon.mtl', wavefront.mtl]]),
    { ...mesh('binary stl', 'pylon.stl', binaryStl()), colored: false },
    { ...mesh('ascii stl', 'pylon.STL', asciiStl()), colored: false },
    mesh('ascii ply', 'pylon.ply', ply('ascii')),
    mesh('binary ply', 'pylon.ply', ply('binary_little_endian')),
    mesh('big-endian ply', 'pylon.ply', ply('binary_big_endian')),
    mesh('off with colours of faces', 'pylon.off', off('face colours')),
    mesh('off with colours of vertices', 'pylon.off', off('vertex colours')),
    mesh('binary off', 'pylon.off', off('binary')),
    mesh('usd as text with Z up', 'pylon.usda', Buffer.from(usdPylon('z'))),
    mesh('usd as text with Y up', 'pylon.usd', Buffer.from(usdPylon('y'))),
    mesh('usd as a crate', 'pylon.usdc', usdCrate(usdPylon('z', false).replace('#usda 1.0\n', ''))),
    mesh('usd in a package', 'pylon.usdz', usdArchive({ 'pylon.usda': usdPylon('z') })),
    splats('ply mesh under the kind of splats', 'pylon.ply', ply('binary_little_endian')),
  ];
}

/** The pylon as points. */
export function cloudSamples(): Sample[] {
  return [
    mesh('ply of points', 'points.ply', ply('ascii', false)),
    mesh('ascii pcd', 'points.pcd', pcd('ascii')),
    mesh('binary pcd', 'points.pcd', pcd('binary')),
    mesh('compressed pcd', 'points.pcd', pcd('binary_compressed')),
    mesh('pcd with points without a place', 'points.pcd', pcd('binary', true)),
    mesh('xyz', 'points.xyz', xyz()),
    mesh('pts', 'points.pts', pts()),
  ];
}

function robotSamples(): Sample[] {
  const described = (name: string, kind: 'urdf' | 'sdf', entry: string, text: string): Sample => ({
    name,
    kind,
    entry,
    files: new Map([
      [entry, Buffer.from(text)],
      ['pylon/meshes/tower.stl', towerStl()],
    ]),
    colored: true,
  });
  const mjcf = new Map([
    ['xml/scene.xml', Buffer.from('<mujoco><include file="model/pylon.xml"/></mujoco>')],
    ['xml/model/pylon.xml', Buffer.from(MJCF.replace('meshdir="meshes"', 'meshdir="../meshes"'))],
    ['meshes/tower.stl', towerStl()],
  ]);
  return [
    described('urdf', 'urdf', 'pylon/urdf/pylon.urdf', URDF),
    described('urdf in macros', 'urdf', 'pylon/urdf/pylon.urdf.xacro', XACRO),
    described('sdf with a mesh', 'sdf', 'pylon/model.sdf', SDF),
    { name: 'mjcf', kind: 'mjcf', entry: 'xml/scene.xml', files: mjcf, colored: true },
  ];
}

async function splatSamples(): Promise<Sample[]> {
  const gaussians = gltfSplats();
  return [
    splats('splat ply', 'pylon.ply', splatPly()),
    splats('flat splat ply', 'pylon.ply', splatPly('flat')),
    splats('splat ply with plain colours', 'pylon.ply', splatPly('plain colours')),
    splats('splat ply far away', 'pylon.ply', splatPly('far away')),
    splats('spz version 3 with Z up', 'pylon.spz', spz(3, true)),
    splats('spz version 4 with Z up', 'pylon.spz', spz(4, true)),
    splats('gltf of splats', 'pylon.glb', glb(gaussians.document, gaussians.buffer)),
    splats('compressed ply', 'pylon.compressed.ply', compressedPly()),
    splats('splat', 'pylon.splat', splat()),
    splats('plain ksplat', 'pylon.ksplat', ksplat(0)),
    splats('compressed ksplat', 'pylon.ksplat', ksplat(1)),
    ...([1, 2, 3, 4] as const).map((version) => splats(`spz version ${version}`, 'pylon.spz', spz(version))),
    { name: 'sog version 1', kind: 'splat', entry: 'meta.json', files: await sog(1), colored: true },
    splats('sog archive', 'pylon.sog', zip(await sog(2), 'stored')),
    splats('deflated sog archive', 'pylon.sog', zip(await sog(1), 'deflated')),
    {
      name: 'streamed sog',
      kind: 'splat',
      entry: 'scene/lod-meta.json',
      files: await streamedSog([pylonSplats(), pylonSplats().slice(0, 40)]),
      colored: true,
    },
    { name: 'sog version 2', kind: 'splat', entry: 'meta.json', files: await sog(2), colored: true },
  ];
}

async function imageSamples(): Promise<Sample[]> {
  const picture = sharp(Buffer.from(DRAWING)).resize(900, 900);
  const encoded = {
    png: await picture.png().toBuffer(),
    jpg: await picture.jpeg().toBuffer(),
    webp: await picture.webp().toBuffer(),
  };
  return Object.entries(encoded).map(([extension, bytes]) => ({
    name: `${extension} image`,
    kind: 'image' as const,
    entry: `pylon.${extension}`,
    files: new Map([[`pylon.${extension}`, new Uint8Array(bytes)]]),
    colored: true,
  }));
}

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="white"/>
<rect x="40" y="10" width="20" height="60" fill="#d91a1a"/><rect x="10" y="70" width="80" height="20" fill="#1ab333"/></svg>`;

function mesh(
  name: string,
  entry: string,
  bytes: Uint8Array,
  beside: readonly [string, Uint8Array][] = [],
): Sample {
  return { name, kind: 'mesh', entry, files: new Map([[entry, bytes], ...beside]), colored: true };
}

function splats(name: string, entry: string, bytes: Uint8Array): Sample {
  return { name, kind: 'splat', entry, files: new Map([[entry, bytes]]), colored: true };
}

function json(document: object): Uint8Array {
  return Buffer.from(JSON.stringify(document));
}
