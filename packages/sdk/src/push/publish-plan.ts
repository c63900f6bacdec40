import type { LibraryDetail } from '@bindery/contract';
import { MANIFEST_PATH, routes } from '@bindery/contract/wire';
import { type FolderRecordStore, rootFilesAmong, stateOf } from '../base/library-state.ts';
import type { LibraryClient } from '../client/call.ts';
import { ConflictError, sentenceWithPaths } from '../failures.ts';
import { type LibraryAddress, libraryParams } from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import { describeRule } from '../tree/skipped-paths.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import type { RevisionPlan } from './plan-revision.ts';
import { type Publication, registerRevision, sendRevision } from './publish.ts';
import type { PlanOptions } from './push-options.ts';
import { freshContent } from './push-plan.ts';
import { type PushResult, resultOf } from './push-result.ts';
import type { PushSource } from './push-source.ts';

/** Uploads what a plan needs, registers the revision, and records that the folder is in step with the library. */
export async function publishPlan(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  planned: RevisionPlan,
  memory: FolderRecordStore,
  options: PlanOptions,
): Promise<PushResult> {
  const { remote, folderRecord, unchanged } = planned;
  const state = stateOf(planned.local, rootFilesAmong(source.rootFiles));
  const unchangedResult = async (row: LibraryDetail) => {
    memory.write({ base: state });
    const now = await withVisibility(client, address, row, options);
    return resultOf('unchanged', address, source, planned, now);
  };
  if (unchanged && remote !== null && !options.verify) return unchangedResult(remote.row);
  await confirmRemovals(planned.changes, options);
  if (folderRecord !== null && folderRecord !== 'damaged')
    memory.write({ ...folderRecord, published: state });
  const publication = publicationOf(source, planned, options);
  const sent = await sendRevision(client, address, publication, options);
  if (unchanged && remote !== null && sent.length === 0) return unchangedResult(remote.row);
  await options.beforeRegister?.();
  const row = await registerRevision(client, address, publication, options);
  memory.write({ base: state });
  return resultOf('published', address, source, planned, row, findReplacedPaths(sent, remote, unchanged));
}

async function confirmRemovals(
  changes: RevisionPlan['changes'],
  { confirmRemovals: confirm }: PlanOptions,
): Promise<void> {
  const { removedMetadata, withheld } = changes;
  if (removedMetadata.length + withheld.length === 0) return;
  if (confirm !== undefined) return confirm(changes);
  const lines = [
    ...removedMetadata.map(({ asset, keys }) => `${asset ?? 'the library'} (${keys.join(', ')})`),
    ...withheld.map((file) => `${file.path} (${describeRule(file)})`),
  ];
  throw new ConflictError(
    sentenceWithPaths('this push would remove texts, licences or left-out files of assets that stay:', lines),
    [...removedMetadata.map(({ asset }) => asset ?? 'the library'), ...withheld.map(({ path }) => path)],
  );
}

function publicationOf(
  source: PushSource,
  { manifest, remote, extent, head, newArtifacts, artifacts }: RevisionPlan,
  { verify, visibility }: PlanOptions,
): Publication {
  const sendsAll = verify === true || extent === 'everything';
  return {
    manifest,
    files: freshContent(manifest, sendsAll ? null : (remote?.manifest ?? null)).map(source.open),
    artifacts: verify ? newArtifacts : artifacts.fresh,
    keptArtifacts: artifacts.kept,
    expectedRevision: head?.row.revision ?? 0,
    visibility,
    verify,
  };
}

/** Returns the sent paths whose content the previous revision had, and the manifest if the library is unchanged. */
function findReplacedPaths(
  sent: readonly UploadSource[],
  remote: RemoteLibrary | null,
  unchanged: boolean,
): string[] {
  if (remote === null) return [];
  const files = [...filesOf(remote.manifest.assets).values(), ...remote.artifacts.values()];
  const held = new Set(files.map(({ sha256 }) => sha256));
  return sent
    .filter(({ path, sha256 }) => held.has(sha256) || (unchanged && path === MANIFEST_PATH))
    .map(({ path }) => path);
}

async function withVisibility(
  client: LibraryClient,
  address: LibraryAddress,
  row: LibraryDetail,
  { visibility, signal }: PlanOptions,
): Promise<LibraryDetail> {
  if (visibility === undefined || visibility === row.visibility) return row;
  return client.call(routes.libraries.patchLibrary, {
    params: libraryParams(address),
    body: { visibility },
    ...(signal ? { signal } : {}),
  });
}
