import type { FileSource } from '@bindery/render/models';
import { answer, ask } from '../../ask.ts';
import { type AssetOfWorker, toError, toFailure } from './messages.ts';

const frame = globalThis as unknown as MessagePort;

/** Answers calls one after another; an error thrown by `find` is passed to the caller. */
export function serve<Call>(find: (call: Call) => Promise<unknown>): void {
  let last = Promise.resolve();
  frame.onmessage = ({ data, ports: [port] }: MessageEvent<Call>) => {
    if (port !== undefined) last = last.then(() => answer(port, () => find(data), toFailure));
  };
}

/** The asset's files, which the frame passes on. */
export function filesOf({ sizes }: AssetOfWorker): FileSource {
  return { sizes, read: (path) => ask(frame, path, toError) };
}
