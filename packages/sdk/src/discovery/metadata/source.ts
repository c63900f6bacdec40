/** What one file says about the asset it is part of. */
export interface SourceMetadata {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly attribution?: string | undefined;
  readonly authors?: readonly string[] | undefined;
  /** As written: an SPDX expression, or a name that people use for one. */
  readonly license?: string | undefined;
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
