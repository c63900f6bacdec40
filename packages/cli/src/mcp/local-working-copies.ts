import { realpathSync } from 'node:fs';
import type { WorkingCopies } from '@bindery/mcp';
import type { Client } from '@bindery/sdk';
import { resolveBelowRoot } from './resolve-below-root.ts';
import { withToolErrors } from './with-tool-errors.ts';

interface LocalOptions {
  cacheFolder: string;
  stateFolder: string;
  cache: boolean;
  signal: AbortSignal;
}

/** Folders below `root`, which agents can pull into and push from. */
export function localWorkingCopies(client: Client, root: string, parts: LocalOptions): WorkingCopies {
  const real = realpathSync(root);
  const place = (folder: string) => resolveBelowRoot(real, folder);
  const selected = (assets: readonly string[] | null) => (assets === null ? {} : { assets: [...assets] });
  return withToolErrors<WorkingCopies>({
    async pull(library, assets, folder) {
      const { pullLibrary } = await import('@bindery/sdk/reading');
      return pullLibrary(client, library, place(folder), { ...parts, ...selected(assets), keep: true });
    },
    async check(library, assets, folder) {
      const { statLibrary } = await import('@bindery/sdk/reading');
      return statLibrary(client, library, place(folder), { ...parts, ...selected(assets) });
    },
    async plan(library, folder) {
      const { pushFolder } = await import('@bindery/sdk/libraries');
      return pushFolder(client, library, place(folder), { ...parts, dryRun: true });
    },
    async push(library, folder, plan) {
      const { pushFolder } = await import('@bindery/sdk/libraries');
      const { status, revision } = await pushFolder(client, library, place(folder), { ...parts, plan });
      return { status: status === 'unchanged' ? status : 'published', revision };
    },
  });
}
