import { extensionOf, formatOf } from '@bindery/formats';

/** Models before pictures, which may be their textures. */
const KINDS = ['usd', 'urdf', 'sdf', 'mjcf', 'splat', 'mesh', 'image'] as const;
type SubjectKind = (typeof KINDS)[number];

/** Returns the file that others belong to, a model or a picture, and its kind; undefined if there is neither. */
export function findSubject<F extends { name: string }>(
  files: readonly F[],
): { kind: SubjectKind; file: F } | undefined {
  for (const kind of KINDS) {
    const file = files.find(({ name }) => kindOf(name) === kind);
    if (file !== undefined) return { kind, file };
  }
  return undefined;
}

/** Pictures that only browsers read. */
const PICTURE = /\.(?:gif|bmp|avif|tiff?)$/i;

function kindOf(path: string): SubjectKind | undefined {
  const format = formatOf(extensionOf(path));
  if (format === undefined) return PICTURE.test(path) ? 'image' : undefined;
  if (format.name === 'xacro') return 'urdf';
  // One without splats has a mesh or points.
  if (format.name === 'ply') return 'splat';
  return KINDS.find((kind) => kind === format.name) ?? (format.name === 'blend' ? undefined : 'mesh');
}
