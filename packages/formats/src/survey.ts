import type { Reference } from './files/resolve.ts';

/** The largest XML file that is surveyed. */
export const MAX_XML_BYTES = 16 * 1024 * 1024;

/** A file of which parts are read, in bounds. */
export interface BoundedFile {
  readonly path: string;
  readonly size: number;
  /** The first bytes, or fewer if the file ends. */
  head(bytes: number): Uint8Array;
  part(start: number, length: number): Uint8Array;
  /** @throws UnreadableFileError if the file is larger than `max` bytes. */
  whole(max: number): Uint8Array;
}

/** What was found by examining one file alone. Plain data, so that it can be stored. */
export interface Survey {
  /** The name of a format, or of a part of one. */
  readonly type: string;
  /** Whether the content confirms the type, not just the name. */
  readonly certain: boolean;
  readonly references: readonly Reference[];
  /** For descriptions of robots or worlds: whether there is something to see, not only settings for others. */
  readonly isComplete?: boolean | undefined;
  /** It describes a place with models in it, which other places can have too. */
  readonly isWorld?: boolean | undefined;
  /** Whether it can only be included by others. */
  readonly isPart?: boolean | undefined;
  /** Whether macros name the robot that they describe, as those that stand alone do. */
  readonly isNamed?: boolean | undefined;
  /** Whether USD has joints that move. */
  readonly hasJoints?: boolean | undefined;
  /** The folders in which an MJCF model says its files are. */
  readonly folders?: MjcfFolders | undefined;
  /** What the file says about an asset: its name, what to open, its licence. */
  readonly metadata?: SourceMetadata | undefined;
  /** Why not all of its references are known. */
  readonly warning?: string | undefined;
}

/** What one file says about the asset it is part of. */
export interface SourceMetadata {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly attribution?: string | undefined;
  readonly authors?: readonly string[] | undefined;
  /** As written: an SPDX expression, or a name that people use for one; null if it says that there is none. */
  readonly license?: string | null | undefined;
  /** For a licence recognised by its text: how much is the same, from 0 to 1. */
  readonly certainty?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly category?: string | undefined;
  readonly url?: string | undefined;
  /** A picture, relative to the file. */
  readonly picture?: string | undefined;
  /** The name by which other files refer to the folder. */
  readonly packageName?: string | undefined;
  /** Files to open, relative to the file, best first. */
  readonly entries?: readonly NamedEntry[] | undefined;
}

export interface NamedEntry {
  readonly name?: string | undefined;
  readonly file: string;
}

/** Where an MJCF model says its files are. */
export interface MjcfFolders {
  readonly meshdir?: string | undefined;
  readonly texturedir?: string | undefined;
  readonly assetdir?: string | undefined;
  /** `true`: only the last part of a path in a `file` attribute counts. */
  readonly strippath?: string | undefined;
}
