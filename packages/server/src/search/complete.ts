import type { Completions } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import type { MaintenanceContext } from '../context.ts';
import { completeInTargets } from './relevance/completions.ts';
import { findSearchableTargets } from './relevance/select-targets.ts';
import { findReadable } from './targets.ts';

interface CompletionRequest {
  q: string;
  limit: number;
}

/** Suggests names and tags that complete the typed text, only from libraries that the viewer is allowed to read. */
export async function complete(
  context: MaintenanceContext,
  viewer: Viewer,
  request: CompletionRequest,
): Promise<Completions> {
  const readable = await findReadable(context, viewer);
  return completeInTargets(context, await findSearchableTargets(context, readable, []), request);
}
