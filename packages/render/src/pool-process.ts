import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { FileSource } from './files.ts';
import type { FromProcess, ToProcess } from './pool-messages.ts';
import { renderThumbnail } from './thumbnail.ts';

/**
 * Ends this process when it outgrows its memory or its parent is gone, from a thread, for neither MuJoCo nor a long loop
 * lets go of the main one.
 */
const WATCH = `
  const { ppid } = process;
  const most = Number(process.env.BINDERY_RENDER_MEMORY);
  setInterval(() => {
    if (process.memoryUsage.rss() > most || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;
new Worker(WATCH, { eval: true }).unref();

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

const waiting = new Map<string, Waiting[]>();

process.on('disconnect', () => process.exit());
process.on('message', (message: ToProcess) => {
  switch (message.type) {
    case 'render':
      void render(message);
      break;
    case 'bytes':
      for (const { resolve } of taken(message.path)) resolve(message.bytes);
      break;
    case 'unreadable':
      for (const { reject } of taken(message.path)) reject(new Error(message.message));
      break;
  }
});

async function render({
  kind,
  format,
  entry,
  sizes,
  limits,
}: Extract<ToProcess, { type: 'render' }>): Promise<void> {
  const files: FileSource = { sizes, read: readFromPool };
  tell({ type: 'done', thumbnail: await renderThumbnail({ kind, format, entry, files, limits }) });
  keepCompiledCode();
}

let isCodeKept = false;

/** The pool ends its processes without warning, so Node would have no time to do this at the end. */
function keepCompiledCode(): void {
  if (!isCodeKept) flushCompileCache();
  isCodeKept = true;
}

function readFromPool(path: string): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const others = waiting.get(path);
  if (others !== undefined) others.push({ resolve, reject });
  else {
    waiting.set(path, [{ resolve, reject }]);
    tell({ type: 'read', path });
  }
  return promise;
}

function taken(path: string): Waiting[] {
  const all = waiting.get(path) ?? [];
  waiting.delete(path);
  return all;
}

function tell(message: FromProcess): void {
  process.send?.(message);
}
