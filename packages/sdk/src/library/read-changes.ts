import type { AssetChange, Manifest, RevisionChanges } from '@bindery/contract';
import { LIMITS, MANIFEST_SCHEMA, routes } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import {
  type LibraryAddress,
  libraryParams,
  type NumberedAddress,
  numberedQuery,
} from './library-address.ts';

/** If more assets differ than this, the manifests are read instead: they are sent compressed, and in one piece. */
const MAX_CHANGES = 5_000;

/** What differs between two revisions. */
export interface ReadChanges extends Pick<RevisionChanges, 'from' | 'to'> {
  changes: AssetChange[];
}

/**
 * Has the service compare two revisions of a library. Returns null if it cannot: it does not know how or has lost what it
 * needs, one of them cannot be read, another one was published meanwhile, or too much differs.
 */
export async function readChanges(
  client: LibraryClient,
  earlier: Pick<NumberedAddress, 'release' | 'revision'>,
  later: NumberedAddress,
  signal?: AbortSignal,
): Promise<ReadChanges | null> {
  const changes: AssetChange[] = [];
  let first: RevisionChanges | undefined;
  for (let after: string | null | undefined; after !== null; ) {
    const page = await readPage(client, earlier, later, after, signal);
    first ??= page ?? undefined;
    if (page === null || first === undefined || !isSame(first, page)) return null;
    changes.push(...page.changes);
    if (changes.length > MAX_CHANGES || page.changes.some(({ untold }) => untold)) return null;
    after = page.next;
  }
  return first === undefined ? null : { from: first.from, to: first.to, changes };
}

/** Returns what an open proposal changes in the library as it is. Throws `ApiError` (`not_found`) if it is not open. */
export async function readProposedChanges(
  client: Pick<LibraryClient, 'call'>,
  address: LibraryAddress,
  proposal: number,
  signal?: AbortSignal,
): Promise<ReadChanges> {
  const params = { ...libraryParams(address), proposal: String(proposal) };
  const changes: AssetChange[] = [];
  for (let after: string | undefined; ; ) {
    const { from, to, next, ...page } = await client.call(routes.proposals.listProposedChanges, {
      params,
      query: { limit: LIMITS.changes.max, ...(after === undefined ? {} : { after }) },
      ...(signal ? { signal } : {}),
    });
    changes.push(...page.changes);
    if (next === null) return { from, to, changes };
    after = next;
  }
}

async function readPage(
  client: LibraryClient,
  { release, revision }: Pick<NumberedAddress, 'release' | 'revision'>,
  later: NumberedAddress,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<RevisionChanges | null> {
  try {
    return await client.call(routes.libraries.listChanges, {
      params: libraryParams(later),
      query: {
        ...numberedQuery(later),
        ...(revision === undefined ? {} : { from: String(revision) }),
        ...(release === undefined ? {} : { fromRelease: release }),
        ...(after === undefined ? {} : { after }),
        limit: LIMITS.changes.max,
      },
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    const isImpossible = error instanceof ApiError && (error.status === 404 || error.code === 'content_lost');
    if (isImpossible) return null;
    throw error;
  }
}

function isSame(one: RevisionChanges, other: RevisionChanges): boolean {
  return (['from', 'to'] as const).every((side) => one[side].manifestSha256 === other[side].manifestSha256);
}

/**
 * Returns the manifests of two revisions without the assets that both have alike, and the paths that these have in common
 * with the others. Null if the service does not know what the manifests state about the library.
 */
export function partsThatDiffer(read: ReadChanges) {
  return read.from.library === null || read.to.library === null ? null : partsOf(read);
}

/** The same, with nothing stated about the library where that is not known. */
export function partsOf({ from, to, changes }: ReadChanges) {
  const part = (
    { library }: { library: Manifest['library'] | null },
    side: 'before' | 'after',
  ): Manifest => ({
    schema: MANIFEST_SCHEMA,
    library: library ?? undefined,
    assets: changes.flatMap((change) => change[side] ?? []),
  });
  return {
    before: part(from, 'before'),
    after: part(to, 'after'),
    shared: new Set(changes.flatMap(({ shared }) => shared)),
  };
}

/** Returns what a manifest states of files after changes. What it generates is not known, except for the root files. */
export async function withChanges(manifest: Manifest, { to, changes }: ReadChanges): Promise<Manifest> {
  const assets = new Map(manifest.assets.map((asset) => [asset.id, asset]));
  const { checkManifest } = await import('./read-manifest.ts');
  const changed = changes.flatMap(({ after }) => after ?? []).map(({ thumbnail: _, ...asset }) => asset);
  checkManifest({ schema: MANIFEST_SCHEMA, assets: changed });
  for (const { id } of changes) assets.delete(id);
  for (const asset of changed) assets.set(asset.id, asset);
  return { ...manifest, assets: [...assets.values()], generated: to.rootFiles.map(({ path }) => path) };
}
