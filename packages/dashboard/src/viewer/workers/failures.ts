import { TooLarge, Unrenderable } from '@bindery/render/models';
import type { Failure } from './messages.ts';

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
