import { extension } from '@bindery/render/models';

/** What each viewer opens: kinds, whatever the format, and formats for less specific kinds. */
const VIEWERS = {
  gltf: { kinds: [], formats: ['glb', 'gltf', 'vrm'] },
  image: {
    kinds: ['image'],
    formats: [
      ...['png', 'jpg', 'jpeg', 'webp', 'gif', 'bmp', 'avif', 'svg'],
      ...['tga', 'dds', 'ktx2', 'exr', 'hdr'],
    ],
  },
  mesh: {
    kinds: [],
    formats: ['obj', 'stl', 'ply', 'dae', 'fbx', '3mf', 'wrl', 'off', 'pcd', 'xyz', 'pts'],
  },
  mjcf: { kinds: ['mjcf'], formats: [] },
  sdf: { kinds: ['sdf'], formats: ['sdf', 'world'] },
  splat: { kinds: ['splat'], formats: ['splat', 'ksplat', 'spz', 'sog'] },
  text: {
    kinds: [],
    formats: [
      ...['txt', 'md', 'xml', 'yml', 'yaml', 'json', 'toml', 'csv', 'py'],
      ...['xacro', 'config', 'mtl', 'material'],
    ],
  },
  urdf: { kinds: ['urdf'], formats: ['urdf'] },
  usd: { kinds: [], formats: ['usd', 'usda', 'usdc', 'usdz'] },
} as const;

export type ViewerName = keyof typeof VIEWERS;

const byKind = new Map<string, ViewerName>();
const byFormat = new Map<string, ViewerName>();
for (const [name, { kinds, formats }] of Object.entries(VIEWERS) as [
  ViewerName,
  (typeof VIEWERS)[ViewerName],
][]) {
  for (const kind of kinds) byKind.set(kind, name);
  for (const format of formats) byFormat.set(format, name);
}

/** Returns the viewer for an asset's kind and the file to open; undefined if there is none. */
export function viewerFor(kind: string, entry: string): ViewerName | undefined {
  return byKind.get(kind) ?? byFormat.get(extension(entry)) ?? (isPlainName(entry) ? 'text' : undefined);
}

/** Matches `LICENSE` and similar names. */
function isPlainName(entry: string): boolean {
  return /(?:^|\/)[A-Z_-]+$/.test(entry);
}
