export type ReferenceRole = 'include' | 'model' | 'mesh' | 'texture' | 'data';

/** A reference from one file to another. */
export interface Reference {
  /** As written, after decoding what the format encodes. */
  readonly text: string;
  readonly role: ReferenceRole;
  /** One of several pictures that are put together. */
  readonly isSide?: true;
  /** Only running a macro processor tells what is meant. */
  readonly isComputed?: true;
  /** Line number, counted from 1; absent if the format has no lines. */
  readonly line?: number | undefined;
}
