import type { Viewer } from '../access/viewer.ts';
import type { Database } from '../database/schema.ts';

/** A repository as clients of Hugging Face name it. The revision is a branch, a tag or a commit. */
export interface UpstreamAddress {
  kind: 'models' | 'datasets';
  owner: string;
  name: string;
  revision: string;
}

export interface UpstreamFile {
  path: string;
  size: number;
  /** What its bytes hash to; `git` is SHA-1 of a blob as git stores it. */
  digest: { algorithm: 'sha256' | 'git'; hex: string };
}

/** A repository of another server at a commit, with all of its files by their paths. */
export interface UpstreamRepository extends Omit<UpstreamAddress, 'revision'> {
  commit: string;
  license: string | null;
  files: ReadonlyMap<string, UpstreamFile>;
}

/** Another server that speaks as Hugging Face does, whose answers and files are kept when they are first asked for. */
export interface Upstream {
  /** Returns null for what it does not have. Throws `unavailable` if it does not answer and nothing is kept. */
  repository(address: UpstreamAddress): Promise<UpstreamRepository | null>;
  /**
   * Reads the bytes of a file from one place up to another. All is verified before the last byte is returned; what is not
   * as the repository says ends before that, with `unavailable`. A transfer ends when all who read it have left.
   */
  read(
    repository: UpstreamRepository,
    file: UpstreamFile,
    range: { from: number; to: number },
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Returns a repository that upstream has, for an account. Null where there is no upstream, for what it lacks, and for
 * owners whose name a namespace here has: a name that somebody here has must never lead to what somebody else made.
 */
export async function findUpstream(
  { db, upstream }: { db: Database; upstream: Upstream | null },
  viewer: Viewer,
  address: UpstreamAddress,
): Promise<UpstreamRepository | null> {
  if (upstream === null || viewer.kind !== 'account') return null;
  const { owner, name, revision } = address;
  if (![owner, name].every((part) => NAME.test(part)) || !REVISION.test(revision)) return null;
  const namespace = await db
    .selectFrom('namespaces')
    .select('id')
    .where('slug', '=', owner.toLowerCase())
    .executeTakeFirst();
  return namespace === undefined ? upstream.repository(address) : null;
}

const NAME = /^(?!\.)[\w.-]{1,96}$/;
const REVISION = /^(?![.-])[\w./-]{1,128}$/;
