import { TooLarge, Unrenderable } from '@bindery/render/models';
import type { ViewerLimits } from '../limits.ts';

/** Sent to every worker with its calls: the file to open, and the files it may request. */
export interface AssetOfWorker {
  readonly entry: string;
  readonly sizes: ReadonlyMap<string, number>;
  readonly limits: ViewerLimits;
}

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
