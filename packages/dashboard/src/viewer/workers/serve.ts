import type { FileSource } from '@bindery/render/models';
import { type AssetOfWorker, type FromWorker, type ToWorker, toError, toFailure } from './messages.ts';

interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;
const pending = new Map<number, PromiseWithResolvers<Uint8Array>>();
let requests = 0;

/** Answers calls one after another; an error thrown by `answer` is passed to the caller. */
export function serve<Call>(answer: (call: Call) => Promise<unknown>): void {
  let last: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data }: MessageEvent<ToWorker<Call>>) => {
    switch (data.type) {
      case 'file':
        pending.get(data.request)?.resolve(data.bytes);
        pending.delete(data.request);
        return;
      case 'file-failed':
        pending.get(data.request)?.reject(toError(data.failure));
        pending.delete(data.request);
        return;
      case 'call':
        last = last.then(() => reply(data.call, data.value, answer));
    }
  };
}

async function reply<Call>(
  call: number,
  value: Call,
  answer: (call: Call) => Promise<unknown>,
): Promise<void> {
  try {
    post({ type: 'answer', call, value: await answer(value) });
  } catch (error) {
    post({ type: 'failed', call, failure: toFailure(error) });
  }
}

/** Sends an unsolicited event to the frame. */
export function sendEvent(value: unknown): void {
  post({ type: 'event', value });
}

/** The asset's files, which the frame passes on. */
export function filesOf({ sizes }: AssetOfWorker): FileSource {
  return {
    sizes,
    read: (path) => {
      const request = requests++;
      const file = Promise.withResolvers<Uint8Array>();
      pending.set(request, file);
      post({ type: 'read', request, path });
      return file.promise;
    },
  };
}

function post(message: FromWorker<unknown, unknown>): void {
  scope.postMessage(message, buffersIn(message));
}

/** Returns the buffers of all typed arrays within a message, which are transferred instead of copied. */
export function buffersIn(message: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (ArrayBuffer.isView(value)) buffers.add(value.buffer as ArrayBuffer);
    else if (value instanceof Map || Array.isArray(value)) for (const one of value.values()) visit(one);
    else for (const one of Object.values(value)) visit(one);
  };
  visit(message);
  return [...buffers];
}
