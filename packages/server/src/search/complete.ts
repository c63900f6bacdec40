import type { Completions } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import type { Parts } from '../parts.ts';
import { completeInTargets } from './relevance/complete-targets.ts';
import { findSearchableTargets } from './relevance/open-indexes.ts';
import { findReadable } from './targets.ts';

export interface CompletionRequest {
  q: string;
  limit: number;
}

type CompletionParts = Pick<Parts, 'db' | 'revisions' | 'indexRepairer'>;

/** Suggests names and tags that complete the typed text, only from libraries that the viewer is allowed to read. */
export async function complete(
  parts: CompletionParts,
  viewer: Viewer,
  request: CompletionRequest,
): Promise<Completions> {
  const readable = await findReadable(parts, viewer);
  return completeInTargets(parts, await findSearchableTargets(parts, readable, []), request);
}
