import { parentPort } from 'node:worker_threads';
import type { FileSource } from './files.ts';
import { renderThumbnail } from './thumbnail.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

if (parentPort === null) throw new Error('this module runs in a worker thread');
const port = parentPort;

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

const waiting = new Map<string, Waiting[]>();

port.on('message', (message: ToWorker) => {
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
}: Extract<ToWorker, { type: 'render' }>): Promise<void> {
  const files: FileSource = { sizes, read: readFromPool };
  tell({ type: 'done', thumbnail: await renderThumbnail({ kind, format, entry, files, limits }) });
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

function tell(message: FromWorker): void {
  port.postMessage(message);
}
