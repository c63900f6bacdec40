import type { LibraryAddress, RevisionRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { isDamage, ObjectDamaged } from '../../objects/damaged.ts';
import { reportUnreadable } from '../../objects/health/damage.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { releasedRows } from '../../objects/references.ts';
import { loadLibraryAtDoor } from '../revision.ts';
import type { CommitSource, GitCommits } from './commits.ts';
import { commitTextOf } from './objects.ts';
import type { Reference } from './protocol.ts';

/** What git's clients see of a library. */
export interface GitRepository {
  storeId: string;
  /** `HEAD` and the branch `main` first, which are the current revision; then every release as a tag. */
  references: Reference[];
}

/**
 * Opens a library as a repository. Throws what `loadLibraryAtDoor` does, `unavailable` while its files are being read, and
 * `content_lost`.
 */
export async function openRepository(
  context: MaintenanceContext & { gitCommits: GitCommits },
  viewer: Viewer,
  address: LibraryAddress,
): Promise<GitRepository> {
  const { row, namespace } = await loadLibraryAtDoor(context, viewer, address);
  const storeId = row.store_id;
  const releases = (await releasedRows(context.db, storeId))
    .filter(({ release = '' }) => isTag(release))
    .sort((one, other) => ((one.release ?? '') < (other.release ?? '') ? -1 : 1));
  const sources = [
    sourceOf(context, namespace, row, await publishedAt(context, row)),
    ...releases.map((release) => sourceOf(context, namespace, release, release.updated_at)),
  ];
  const [current = '', ...released] = await context.gitCommits
    .commitsOf(storeId, sources)
    .catch(async (error: unknown) => {
      if (error instanceof ObjectDamaged) await reportUnreadable(context, error.object);
      if (isDamage(error))
        throw new ServiceError('content_lost', 'The service has lost a file of this library.');
      throw error;
    });
  return {
    storeId,
    references: [
      { name: 'HEAD', commit: current },
      { name: 'refs/heads/main', commit: current },
      ...released.map((commit, at) => ({ name: `refs/tags/${releases[at]?.release}`, commit })),
    ],
  };
}

/** Whether git takes the name of a release as one of a tag. */
function isTag(release: string): boolean {
  return !/\.\.|\.$|\.lock$/.test(release);
}

function sourceOf(
  context: MaintenanceContext,
  namespace: string,
  row: RevisionRow,
  publishedAt: number,
): CommitSource {
  const { manifest_sha256: manifestSha256 } = row;
  return {
    manifestSha256,
    text: commitTextOf(namespace, row, publishedAt),
    index: async () => {
      const opened = await openRevision(context, row);
      if (opened.row.manifest_sha256 === manifestSha256) return opened.row.index_sha256;
      throw unavailable('A new revision was published meanwhile. Try again.', 1);
    },
  };
}

/** When the current revision was published: its row changes for other reasons, too. */
async function publishedAt({ db }: MaintenanceContext, row: RevisionRow): Promise<number> {
  const register = await db
    .selectFrom('register_log')
    .select('registered_at')
    .where('store_id', '=', row.store_id)
    .where('revision', '=', row.revision)
    .executeTakeFirst();
  return register?.registered_at ?? row.updated_at;
}
