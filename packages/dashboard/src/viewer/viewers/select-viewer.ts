import { extensionOf, extensionsOf, extensionsOfFamilies, FORMATS } from '@bindery/formats';

const MODELS = FORMATS.filter(
  ({ name, family, isSource }) =>
    family !== 'image' && family !== 'splat' && !isSource && name !== 'gltf' && name !== 'mjcf',
);

/** What each viewer opens: kinds, whatever the format, and formats for less specific kinds. */
const VIEWERS = {
  gltf: { kinds: [], formats: ['glb', 'gltf', 'vrm'] },
  image: {
    kinds: ['image'],
    formats: [...extensionsOfFamilies('image'), ...['gif', 'bmp', 'avif', 'svg']],
  },
  mjcf: { kinds: ['mjcf'], formats: [] },
  model: { kinds: ['sdf', 'urdf'], formats: MODELS.flatMap(extensionsOf) },
  splat: { kinds: ['splat'], formats: extensionsOfFamilies('splat') },
  text: {
    kinds: [],
    formats: [
      ...['txt', 'md', 'xml', 'yml', 'yaml', 'json', 'toml', 'csv', 'py'],
      ...['xacro', 'config', 'mtl', 'material'],
    ],
  },
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
