import type { Visibility } from '@bindery/contract';
import type { DrawnThumbnail, MetadataEdit, PickedFile, PickedPlan } from '@bindery/sdk/browser/push';

/*
 * What the page and its worker say to each other. The worker reads, hashes, plans and sends; the page shows it.
 */

/** The folder is the library, and what it has not is removed; or it is a part, and everything else stays. */
export type Extent = 'whole' | 'part';

export interface Target {
  namespace: string;
  name: string;
}

/** What somebody picked: the files below the folder's name, which is empty where they picked several things. */
export interface Picked {
  folder: string;
  /** Their paths are relative to the folder. */
  files: PickedFile[];
}

/** A change of the library in place. */
export type EditRequest =
  | { type: 'edit'; target: Target; edit: MetadataEdit }
  | { type: 'thumbnails'; target: Target; drawn: DrawnThumbnail[] };

export type ToWorker =
  | EditRequest
  /** `extent` null: what the library's own paths suggest. */
  | { type: 'plan'; target: Target; picked: Picked; extent: Extent | null }
  /** Carries out the plan that was made last; again, where it failed. */
  | { type: 'publish'; visibility: Visibility | undefined }
  | { type: 'cancel' };

export interface Progress {
  stage: 'Hashing' | 'Uploading';
  bytes: number;
  totalBytes: number;
  files: number;
  totalFiles: number;
}

export interface Failure {
  /**
   * `unreachable`: the same again succeeds once the service is there. `conflict`: somebody else published in the meantime.
   * `quota`: the namespace may not hold so much.
   */
  kind:
    | 'unreachable'
    | 'conflict'
    | 'signedOut'
    | 'inTrash'
    | 'gone'
    | 'nowPublic'
    | 'nowPrivate'
    | 'quota'
    | 'other';
  /** For those that have no sentence of their own. */
  message: string;
}

export type FromWorker =
  | { type: 'progress'; progress: Progress }
  | { type: 'planned'; plan: PickedPlan; extent: Extent }
  | { type: 'published'; revision: number; isUnchanged: boolean; warnings: string[] }
  | { type: 'edited'; revision: number }
  | { type: 'failed'; failure: Failure }
  | { type: 'cancelled' };
