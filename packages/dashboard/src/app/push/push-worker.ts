import { ApiError } from '@bindery/sdk/browser';
import type { ProgressListener } from '@bindery/sdk/browser/push';
import {
  DEFAULT_RETRY,
  editMetadata,
  LibraryChangedError,
  type PickedFile,
  type PlannedPush,
  type PushSource,
  planPickedPush,
  readPickedFiles,
  setThumbnails,
  suggestPlacement,
} from '@bindery/sdk/browser/push';
import { messageOf } from '../../ask.ts';
import { isUnreachable } from '../connection.ts';
import { SessionStore } from '../session-store.ts';
import { inFolder } from './picked-folder.ts';
import type { Failure, FromWorker, Progress, ToWorker } from './protocol.ts';

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
/** What was read last, so that a push to another name does not read it again. */
let lastRead: { key: string; source: PushSource } | null = null;
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
    const placement = message.placement ?? (await suggestPlacement(service, target, picked, signal));
    const isPart = placement.coverage === 'part';
    const files = isPart ? inFolder(placement.folder, picked.files) : picked.files;
    const key = keyOf(files);
    if (lastRead?.key !== key) lastRead = { key, source: await readPickedFiles(files, { signal, progress }) };
    const { coverage } = placement;
    const made = await planPickedPush(service, target, lastRead.source, { coverage, signal });
    signal.throwIfAborted();
    planned = made;
    return { type: 'planned', plan: made.plan, placement };
  }
  if (message.type === 'edit') {
    const { target, edit, propose } = message;
    const { proposal = null } = await editMetadata(service, target, edit, { signal, propose });
    return { type: 'edited', proposal };
  }
  if (message.type === 'thumbnails') {
    await setThumbnails(service, message.target, message.drawn, { signal });
    return { type: 'edited', proposal: null };
  }
  if (planned === null) throw new Error('Nothing was planned.');
  const { visibility, propose } = message;
  const made = await planned.publish({ signal, progress, visibility, propose });
  const { status, revision, proposal } = made;
  return { type: 'published', revision, isUnchanged: status === 'unchanged', proposal };
}

/** Equal for the same files as they were picked; a file that has changed since is noticed when it is sent. */
function keyOf(files: readonly PickedFile[]): string {
  return JSON.stringify(
    files.map(({ path, size, blob }) => [path, size, blob instanceof File ? blob.lastModified : null]),
  );
}

function failureOf(error: unknown): Failure {
  return { kind: kindOf(error), message: messageOf(error) };
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

/** Minimum milliseconds between two reports. */
const PAUSE = 100;

/** Reports progress, at most ten times a second. */
export function progressListener(onProgress: (progress: Progress) => void): ProgressListener {
  return {
    start(_label, total) {
      let [bytes, files, told] = [0, 0, 0];
      const report = () => {
        told = performance.now();
        onProgress({ bytes, files, totalBytes: total.bytes, totalFiles: total.items });
      };
      report();
      return {
        advance(step) {
          bytes += step.bytes ?? 0;
          files += step.items ?? 0;
          if (performance.now() - told > PAUSE) report();
        },
        finish: report,
        stop() {},
      };
    },
  };
}
