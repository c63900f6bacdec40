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
