import { hash } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { isLost } from '../../objects/damaged.ts';
import { RevisionIndex, servesRelevance } from '../../revision/revision-index.ts';
import { encodeSections } from '../../revision/sections.ts';
import { type RevisionKey, SegmentBuilder } from '../../search/segments/segment-index.ts';
import type { JoinedRevision } from '../../search/segments/segments.ts';
import { localFiles } from './local-files.ts';

export interface SegmentTask {
  /** Each with the file that should hold its index. */
  revisions: readonly (JoinedRevision & { file: string })[];
  segmentFile: string;
  descriptionFile: string;
}

export interface SegmentOutcome {
  /** The SHA-256 of the segment; null if nothing could be joined. */
  sha256: string | null;
  /** Revisions whose index is missing, damaged or of an older release. */
  unreadable: RevisionKey[];
}

/**
 * The most bytes of indexes that are joined, unless it is one: what takes a few hundred MiB of memory. Revisions beyond
 * that are not joined this time.
 */
const JOINED_AT_ONCE = 400 * 2 ** 20;

/** Descriptions are written so many bytes at a time. */
const WRITTEN_AT_ONCE = 2 ** 20;

/** On Linux each thread has its own priority: requests take precedence. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function join({ revisions, segmentFile, descriptionFile }: SegmentTask): SegmentOutcome {
  const unreadable: RevisionKey[] = [];
  using descriptions = localFiles.create(descriptionFile);
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const write = () => {
    descriptions.append(Buffer.concat(waiting));
    waiting = [];
    bytes = 0;
  };
  const segment = new SegmentBuilder((description) => {
    waiting.push(description);
    bytes += description.length;
    if (bytes >= WRITTEN_AT_ONCE) write();
  });
  let joinedBytes = 0;
  for (const revision of revisions) {
    const index = readIndex(revision);
    joinedBytes += index?.byteLength ?? 0;
    if (joinedBytes > JOINED_AT_ONCE && index && joinedBytes > index.byteLength) break;
    if (index && servesRelevance(index)) segment.add(revision, index);
    else unreadable.push({ storeId: revision.storeId, indexSha256: revision.indexSha256 });
  }
  write();
  if (unreadable.length === revisions.length) return { sha256: null, unreadable };
  const joined = Buffer.concat(encodeSections(segment.sections()));
  using file = localFiles.create(segmentFile);
  file.append(joined);
  return { sha256: hash('sha256', joined), unreadable };
}

/** Returns null if the index is lost. */
function readIndex({ file, indexSha256 }: SegmentTask['revisions'][number]): RevisionIndex | null {
  try {
    const bytes = localFiles.read(file);
    return hash('sha256', bytes) === indexSha256 ? RevisionIndex.open(bytes) : null;
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}
