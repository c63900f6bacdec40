/** What a file can be to an asset. */
export type FormatFamily = 'robot' | 'mesh' | 'points' | 'splat' | 'image';

/** What the name of a format says of its files, whatever is in them. */
interface FormatFacts {
  readonly name: string;
  readonly family: FormatFamily;
  /** In lower case, without a dot; those that most viewers open best come first. */
  readonly extensions: readonly string[];
  /** Extensions that files of other formats have as well. */
  readonly ambiguous?: readonly string[];
  /** The axis that points up, if files do not say it; `y` if absent. */
  readonly up?: 'z';
  /** Whether files say what a length of 1 means, so that they are read in metres. */
  readonly isMetric?: true;
  /** Whether it is what programs for modelling and CAD work on, which no viewer opens. */
  readonly isSource?: true;
}

/** Robots, then shapes: those that are whole in one file and that most viewers open come first. */
const ALL = [
  { name: 'mjcf', family: 'robot', extensions: [], ambiguous: ['mjcf', 'xml'] },
  { name: 'urdf', family: 'robot', extensions: ['urdf'] },
  { name: 'xacro', family: 'robot', extensions: ['xacro'] },
  { name: 'sdf', family: 'robot', extensions: ['sdf'], ambiguous: ['world'] },
  { name: 'gltf', family: 'mesh', extensions: ['glb', 'gltf', 'vrm'], isMetric: true },
  { name: 'obj', family: 'mesh', extensions: ['obj'] },
  { name: 'collada', family: 'mesh', extensions: ['dae'], isMetric: true },
  { name: 'fbx', family: 'mesh', extensions: ['fbx'], isMetric: true },
  { name: '3mf', family: 'mesh', extensions: ['3mf'], up: 'z', isMetric: true },
  { name: 'vrml', family: 'mesh', extensions: ['wrl'] },
  { name: 'stl', family: 'mesh', extensions: ['stl'], up: 'z' },
  { name: 'ply', family: 'mesh', extensions: ['ply'] },
  { name: 'off', family: 'mesh', extensions: ['off'] },
  { name: 'pcd', family: 'points', extensions: ['pcd'], up: 'z' },
  { name: 'xyz', family: 'points', extensions: [], ambiguous: ['pts', 'xyz'], up: 'z' },
  { name: 'usd', family: 'mesh', extensions: ['usdz', 'usdc', 'usda', 'usd'], isMetric: true },
  { name: 'step', family: 'mesh', extensions: ['step', 'stp'], up: 'z', isMetric: true, isSource: true },
  { name: 'blend', family: 'mesh', extensions: ['blend'], isSource: true },
  { name: 'splat', family: 'splat', extensions: ['sog', 'splat', 'ksplat', 'spz'] },
  {
    name: 'image',
    family: 'image',
    extensions: ['png', 'jpg', 'jpeg', 'webp', 'tga', 'dds', 'ktx2', 'exr', 'hdr'],
  },
] as const satisfies readonly FormatFacts[];

export type FormatName = (typeof ALL)[number]['name'];

/** A format that Bindery reads. */
export interface FileFormat extends FormatFacts {
  readonly name: FormatName;
}

export const FORMATS: readonly FileFormat[] = ALL;

const byExtension = new Map<string, FileFormat>();
for (const format of FORMATS)
  for (const extension of extensionsOf(format)) byExtension.set(extension, format);

/** Returns the format that an extension stands for, in lower case and without a dot. */
export function formatOf(extension: string): FileFormat | undefined {
  return byExtension.get(extension);
}

/** Returns the extensions of a format, those that others have as well last. */
export function extensionsOf({ extensions, ambiguous = [] }: FileFormat): readonly string[] {
  return [...extensions, ...ambiguous];
}

/** Returns all extensions of formats of some families, in the order of the formats. */
export function extensionsOfFamilies(...families: readonly FormatFamily[]): string[] {
  return FORMATS.filter(({ family }) => families.includes(family)).flatMap(extensionsOf);
}
