import type { Completions } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import type { Parts } from '../parts.ts';
import { completeOver } from './relevance/complete-over.ts';
import { findSearched } from './relevance/open-words.ts';
import { findReadable } from './targets.ts';

export interface CompletionRequest {
  q: string;
  limit: number;
}

type CompletionParts = Pick<Parts, 'db' | 'revisions' | 'indexMender'>;

/** Names and tags that what was typed may be the beginning of, among everything that the viewer may read and nothing else. */
export async function complete(
  parts: CompletionParts,
  viewer: Viewer,
  request: CompletionRequest,
): Promise<Completions> {
  const readable = await findReadable(parts, viewer);
  return completeOver(parts, await findSearched(parts, readable, []), request);
}
