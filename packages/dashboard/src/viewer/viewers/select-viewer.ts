import { extensionOf, extensionsOf, extensionsOfFamilies, FORMATS } from '@bindery/formats';

const MESHES = FORMATS.filter(
  ({ name, family, isSource }) =>
    (family === 'mesh' || family === 'points') && !isSource && name !== 'gltf' && name !== 'usd',
);

/** What each viewer opens: kinds, whatever the format, and formats for less specific kinds. */
const VIEWERS = {
  gltf: { kinds: [], formats: ['glb', 'gltf', 'vrm'] },
  image: {
    kinds: ['image'],
    formats: [...extensionsOfFamilies('image'), ...['gif', 'bmp', 'avif', 'svg']],
  },
  mesh: { kinds: [], formats: MESHES.flatMap(extensionsOf) },
  mjcf: { kinds: ['mjcf'], formats: [] },
  sdf: { kinds: ['sdf'], formats: ['sdf', 'world'] },
  splat: { kinds: ['splat'], formats: extensionsOfFamilies('splat') },
  text: {
    kinds: [],
    formats: [
      ...['txt', 'md', 'xml', 'yml', 'yaml', 'json', 'toml', 'csv', 'py'],
      ...['xacro', 'config', 'mtl', 'material'],
    ],
  },
  urdf: { kinds: ['urdf'], formats: ['urdf'] },
  usd: { kinds: [], formats: FORMATS.filter(({ name }) => name === 'usd').flatMap(extensionsOf) },
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
  return byKind.get(kind) ?? byFormat.get(extensionOf(entry)) ?? (isPlainName(entry) ? 'text' : undefined);
}

/** Matches `LICENSE` and similar names. */
function isPlainName(entry: string): boolean {
  return /(?:^|\/)[A-Z_-]+$/.test(entry);
}
