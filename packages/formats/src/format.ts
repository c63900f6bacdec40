import type { LoadContext } from './context.ts';
import type { Picture } from './images/pixels.ts';
import type { Mechanism, Shape } from './model/mechanism.ts';
import type { MeshFile, MeshOptions } from './model/mesh-file.ts';
import type { Names } from './model/names.ts';
import type { Front, Scene, SplatCloud } from './model/scene.ts';
import type { BoundedFile, Survey } from './survey.ts';

/** What a file can be to an asset. */
export type FormatFamily = 'robot' | 'mesh' | 'points' | 'splat' | 'image';

/**
 * A format of files. What reads and writes whole files is loaded on demand: clients that only publish need none of it.
 */
export interface Format {
  readonly name: string;
  /** Formats with a lower number come first where an asset has its model in several. */
  readonly preference: number;
  readonly family: FormatFamily;
  /** In lower case, without a dot; those that most viewers open best come first. */
  readonly extensions: readonly string[];
  /** Extensions that files of other formats have as well. */
  readonly ambiguous?: readonly string[];
  /** By extension, where browsers and viewers expect a type. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
  /** Words for it in a query: its name, which means all of its extensions, and extensions. */
  readonly spoken?: readonly string[];
  /** Words like these that mean the format only where `file` or `format` follows. */
  readonly spokenBefore?: readonly string[];
  /** The axis that points up, if files do not say it; `y` if absent. */
  readonly up?: 'z';
  /** The direction in which models face, if files do not say it. */
  readonly front?: Front;
  /** Whether files say what a length of 1 means, so that they are read in metres. */
  readonly isMetric?: true;
  /** Whether it is what programs for modelling and CAD work on, which no viewer opens. */
  readonly isSource?: true;
  /** The names of root elements, for formats in XML. */
  readonly roots?: readonly string[];
  /** How files begin, for formats whose files name no others. */
  readonly magics?: readonly string[];
  /**
   * Says what a file is and which others it names, without its geometry; null for one of another format.
   * @throws UnreadableFileError
   */
  readonly survey?: (file: BoundedFile) => Survey | null;
  readonly loadReader?: () => Promise<FormatReader>;
  readonly loadMechanismReader?: () => Promise<MechanismReader>;
  readonly loadWriter?: () => Promise<FormatWriter>;
}

/** Reads the bodies, joints and shapes of a file. @throws Unrenderable */
export type MechanismReader = (
  entry: string,
  context: LoadContext,
  wanted?: WantedParts,
) => Promise<Mechanism>;

/** What is read of a model. */
export interface WantedParts {
  /** The shapes; all of them by default. */
  readonly roles?: readonly Shape['role'][];
  /** Arguments of macros. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Whether what macros use of packages that are not there is left out; by default the model cannot be read then. */
  readonly packages?: 'absent';
}

/** Reads files as they are drawn. All reject with `Unrenderable`. */
export interface FormatReader {
  /** A file by itself or as a part of a robot. */
  readonly readMesh?: (path: string, context: LoadContext, options: MeshOptions) => Promise<MeshFile>;
  /** What stands by itself and knows where it is up. */
  readonly readScene?: (entry: string, context: LoadContext) => Promise<Scene>;
  /** Undefined for a file without splats. */
  readonly readSplats?: (entry: string, context: LoadContext) => Promise<SplatCloud | undefined>;
  /** The picture that a file carries of itself. */
  readonly readPreview?: (entry: string, context: LoadContext) => Promise<Picture>;
}

/** Writes models. */
export interface FormatWriter {
  /** The file of those written that programs open. */
  readonly entry: string;
  /** A mechanism as the format can hold it; what it cannot is among its losses. */
  readonly adapt: (mechanism: Mechanism) => Mechanism;
  /** What `adapt` calls bodies and joints; absent if as they are called. */
  readonly names?: (mechanism: Mechanism) => Names;
  /** Writes a mechanism that `adapt` returned. */
  readonly write: (mechanism: Mechanism) => Promise<ReadonlyMap<string, Uint8Array>>;
}
