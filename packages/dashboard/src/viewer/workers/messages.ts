import { TooLarge, Unrenderable } from '@bindery/render/models';
import type { ViewerLimits } from '../limits.ts';

/** Sent to every worker with its calls: the file to open, and the files it may request. */
export interface AssetOfWorker {
  readonly entry: string;
  readonly sizes: ReadonlyMap<string, number>;
  readonly limits: ViewerLimits;
}

export type ToWorker<Call> =
  | { readonly type: 'call'; readonly call: number; readonly value: Call }
  | { readonly type: 'file'; readonly request: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'file-failed'; readonly request: number; readonly failure: Failure };

export type FromWorker<Answer, Event> =
  | { readonly type: 'read'; readonly request: number; readonly path: string }
  | { readonly type: 'answer'; readonly call: number; readonly value: Answer }
  | { readonly type: 'failed'; readonly call: number; readonly failure: Failure }
  | { readonly type: 'event'; readonly value: Event };

/** An error passed between threads. */
export interface Failure {
  readonly name: 'TooLarge' | 'Unrenderable' | 'Error';
  readonly message: string;
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TooLarge) return { name: 'TooLarge', message };
  return { name: error instanceof Unrenderable ? 'Unrenderable' : 'Error', message };
}

export function toError({ name, message }: Failure): Error {
  switch (name) {
    case 'TooLarge':
      return new TooLarge(message);
    case 'Unrenderable':
      return new Unrenderable(message);
    default:
      return new Error(message);
  }
}
