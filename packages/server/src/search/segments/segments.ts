import type { ManifestLayout } from '@bindery/contract';
import type { JoinedPlace, RevisionVectors } from '../vectors/vector-search.ts';
import type { RevisionKey, SegmentIndex, SegmentMember } from './segment-index.ts';

/** A revision whose index can be joined with others. */
export interface JoinedRevision extends RevisionKey {
  layout: ManifestLayout;
}

/** A revision in an open segment. */
export interface FoundMember {
  segment: SegmentIndex;
  member: SegmentMember;
  /** Where its vectors are; null if none were there when those of the segment were joined. */
  joined: JoinedPlace | null;
}

/** A member of a segment with its vectors of the served model; null if it has none, or is not searched any more. */
export interface MemberVectors {
  member: SegmentMember;
  vectors: RevisionVectors | null;
}

/**
 * The port to the segments of this server: files of this machine, made from the indexes of revisions, that can be made
 * again. A revision in several segments counts in the latest.
 */
export interface Segments {
  /** Resolves once those on the disk are open. */
  readonly opened: Promise<void>;

  /** Whether searches found so many libraries, or vectors, that are not joined that they should be. */
  isWanted: boolean;

  list(): readonly SegmentIndex[];

  find(revision: RevisionKey): FoundMember | null;

  /** Whether the memory for segments has room for this many more assets. */
  hasRoom(assets: number): boolean;

  /** Joins revisions into a segment; returns those whose index is missing, damaged or of an older release. */
  join(revisions: readonly JoinedRevision[]): Promise<RevisionKey[]>;

  /** Joins the vectors of all members of a segment, as far as they are others than were joined before. */
  joinVectors(segment: SegmentIndex, members: readonly MemberVectors[]): Promise<void>;

  remove(segment: SegmentIndex): Promise<void>;

  close(): Promise<void>;
}

/** Up to so many libraries are searched one by one at least as fast. */
export const FEW_LIBRARIES = 32;

/** What makes a few libraries worth joining: more than memory for single indexes should be filled with. */
const MANY_ASSETS = 150_000;

/** Whether libraries that are in no segment should be joined. */
export function areWorthJoining(libraries: number, assets: number): boolean {
  return libraries > FEW_LIBRARIES || (libraries > 1 && assets > MANY_ASSETS);
}

/** Whether vectors that are searched library by library should be joined: not for every few that are made. */
export function areVectorsWorthJoining(alone: number, joined: number): boolean {
  return alone > Math.max(FEW_LIBRARIES, joined / 8);
}
