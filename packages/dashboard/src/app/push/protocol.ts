import type { Visibility } from '@bindery/contract';
import type {
  DrawnThumbnail,
  MetadataEdit,
  PickedFile,
  PickedPlan,
  Placement,
  ProposedText,
} from '@bindery/sdk/browser/push';

/*
 * Messages between the page and its worker. The worker reads, hashes, plans and sends; the page shows the progress.
 */

export interface Target {
  namespace: string;
  name: string;
}

/** What the user picked: the files and the name of their folder, which is empty if they picked several items. */
export interface PickedFolder {
  folder: string;
  /** Their paths are relative to the folder. */
  files: PickedFile[];
}

/** An edit of the library without pushing a folder. */
export type EditRequest =
  | { type: 'edit'; target: Target; edit: MetadataEdit; propose: ProposedText | undefined }
  | { type: 'thumbnails'; target: Target; drawn: DrawnThumbnail[] };

export type ToWorker =
  | EditRequest
  /** `placement` null: derived from the library's own paths. */
  | { type: 'plan'; target: Target; picked: PickedFolder; placement: Placement | null }
  /** Publishes or proposes the latest plan; sent again to retry after a failure. */
  | { type: 'publish'; visibility: Visibility | undefined; propose: ProposedText | undefined }
  | { type: 'cancel' };

export interface Progress {
  bytes: number;
  totalBytes: number;
  files: number;
  totalFiles: number;
}

export interface Failure {
  /**
   * `unreachable`: retrying succeeds once the service is back. `conflict`: somebody else published in the meantime.
   * `quota`: the push exceeds the namespace's quota.
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
  /** Shown for kinds without a message of their own. */
  message: string;
}

export type FromWorker =
  | { type: 'progress'; progress: Progress }
  | { type: 'planned'; plan: PickedPlan; placement: Placement }
  /** `proposal`: its number, if that is what it was kept as. */
  | { type: 'published'; revision: number; isUnchanged: boolean; proposal: number | null }
  | { type: 'edited'; proposal: number | null }
  | { type: 'failed'; failure: Failure }
  | { type: 'cancelled' };
