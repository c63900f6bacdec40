import type { Manifest } from '@bindery/contract';
import type { UploadSource } from '../tree/upload-source.ts';

/** The next manifest of a library, with its new artifacts. */
export interface NextRevision {
  manifest: Manifest;
  /** Platform artifacts made for it. */
  newArtifacts: readonly UploadSource[];
}
