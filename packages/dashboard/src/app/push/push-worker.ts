import { ApiError } from '@bindery/sdk/browser';
import {
  DEFAULT_RETRY,
  editMetadata,
  LibraryChangedError,
  type PlannedPush,
  planPickedPush,
  readPickedFiles,
  setThumbnails,
  suggestCoverage,
} from '@bindery/sdk/browser/push';
import { isUnreachable } from '../connection.ts';
import { SessionStore } from '../session-store.ts';
import { withFolderPrefix } from './picked-folder.ts';
import type { Coverage, Failure, FromWorker, PickedFolder, Target, ToWorker } from './protocol.ts';
import { progressListener } from './report-progress.ts';

/** The user who picked the folder. It is never published as another user. */
let owner: string | undefined;

class UserChangedError extends Error {}

const sessionStore = new SessionStore((session) => {
  if (session === null) return;
  owner ??= session.user.id;
  if (session.user.id !== owner) throw new UserChangedError();
});
const service = sessionStore.client({ retry: DEFAULT_RETRY });

let planned: PlannedPush | null = null;
let running = new AbortController();

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  running.abort();
  if (data.type === 'cancel') return;
  running = new AbortController();
  const { signal } = running;
  void handleMessage(data, signal)
    .catch((error: unknown): FromWorker => {
      return signal.aborted ? { type: 'cancelled' } : { type: 'failed', failure: failureOf(error) };
    })
    .then((answer) => {
      // The page has asked for something else since, perhaps for another library.
      if (signal === running.signal) send(answer);
    });
});

async function handleMessage(
  message: Exclude<ToWorker, { type: 'cancel' }>,
  signal: AbortSignal,
): Promise<FromWorker> {
  const progress = progressListener((step) => {
    if (!signal.aborted) send({ type: 'progress', progress: step });
  });
  if (message.type === 'plan') {
    planned = null;
    const { target, picked } = message;
    const coverage = message.coverage ?? (await suggested(target, picked, signal));
    const files = coverage === 'part' ? withFolderPrefix(picked) : picked.files;
    const source = await readPickedFiles(files, { signal, progress });
    const made = await planPickedPush(service, target, source, { coverage, signal });
    signal.throwIfAborted();
    planned = made;
    return { type: 'planned', plan: made.plan, coverage };
  }
  if (message.type === 'edit') {
    const { library } = await editMetadata(service, message.target, message.edit, { signal });
    return { type: 'edited', revision: library.revision };
  }
  if (message.type === 'thumbnails') {
    const { library } = await setThumbnails(service, message.target, message.drawn, { signal });
    return { type: 'edited', revision: library.revision };
  }
  if (planned === null) throw new Error('Nothing was planned.');
  const { visibility } = message;
  const { status, revision, warnings } = await planned.publish({ signal, progress, visibility });
  return { type: 'published', revision, isUnchanged: status === 'unchanged', warnings };
}

function suggested(target: Target, picked: PickedFolder, signal: AbortSignal): Promise<Coverage> {
  return suggestCoverage(service, target, picked, signal);
}

function failureOf(error: unknown): Failure {
  return { kind: kindOf(error), message: error instanceof Error ? error.message : String(error) };
}

function kindOf(error: unknown): Failure['kind'] {
  if (error instanceof UserChangedError) return 'signedOut';
  if (error instanceof LibraryChangedError) return KIND_OF_CHANGE[error.change];
  if (isUnreachable(error)) return 'unreachable';
  if (!(error instanceof ApiError)) return 'other';
  if (error.status === 401) return 'signedOut';
  if (error.code === 'revision_conflict') return 'conflict';
  if (error.code === 'quota_exceeded') return 'quota';
  return error.code === 'library_in_trash' ? 'inTrash' : 'other';
}

const KIND_OF_CHANGE = { gone: 'gone', public: 'nowPublic', private: 'nowPrivate' } as const;

function send(message: FromWorker): void {
  postMessage(message);
}
