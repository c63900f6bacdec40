import { extension } from '@bindery/render/models';
import type { Viewer } from '../viewer.ts';

type Load = () => Promise<{ readonly viewer: Viewer }>;

const gltf: Load = () => import('./gltf.ts');
const mesh: Load = () => import('./mesh.ts');
const sdf: Load = () => import('./sdf.ts');
const splat: Load = () => import('./splat.ts');
const urdf: Load = () => import('./urdf.ts');
const image: Load = () => import('./image.ts');
const text: Load = () => import('./text.ts');

/** By kind, whatever the format. */
const BY_KIND: Readonly<Record<string, Load>> = {
  mjcf: () => import('./mjcf.ts'),
  urdf,
  splat,
  image,
  sdf,
};

/** By the extension of the entry, for kinds that say less. */
const BY_EXTENSION: Readonly<Record<string, Load>> = {
  glb: gltf,
  gltf,
  obj: mesh,
  stl: mesh,
  ply: mesh,
  dae: mesh,
  urdf,
  sdf,
  world: sdf,
  splat,
  ksplat: splat,
  spz: splat,
  sog: splat,
  ...Object.fromEntries(
    ['png', 'jpg', 'jpeg', 'webp', 'gif', 'bmp', 'avif', 'svg'].map((name) => [name, image]),
  ),
  ...Object.fromEntries(
    [
      'txt',
      'md',
      'xml',
      'yml',
      'yaml',
      'json',
      'toml',
      'csv',
      'py',
      'xacro',
      'config',
      'mtl',
      'material',
    ].map((name) => [name, text]),
  ),
};

/** The viewer of an asset by its kind and the file to open; undefined where there is none. */
export function viewerFor(kind: string, entry: string): Load | undefined {
  if (kind !== 'mesh' && kind !== 'file' && Object.hasOwn(BY_KIND, kind)) return BY_KIND[kind];
  const name = extension(entry);
  if (name === '' || !Object.hasOwn(BY_EXTENSION, name)) return isPlainName(entry) ? text : undefined;
  return BY_EXTENSION[name];
}

/** `LICENSE` and its like. */
function isPlainName(entry: string): boolean {
  return /(?:^|\/)[A-Z_-]+$/.test(entry);
}
