import { realpathSync } from 'node:fs';
import { parse, relative, sep } from 'node:path';
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
  const until = (signal: AbortSignal) => ({ ...parts, signal: AbortSignal.any([parts.signal, signal]) });
  const functions: WorkingCopies = {
    async pull(library, assets, folder, signal) {
      const { pullLibrary } = await import('@bindery/sdk/reading');
      const pulled = await pullLibrary(client, library, place(folder), {
        ...until(signal),
        ...selected(assets),
        keep: true,
      });
      const { setAside, refused, unsupported } = pulled;
      return {
        ...pulled,
        setAside: setAside && { ...setAside, folder: relative(real, setAside.folder) },
        refused: [...refused, ...unsupported],
      };
    },
    async check(library, assets, folder, signal) {
      const { statLibrary } = await import('@bindery/sdk/reading');
      return statLibrary(client, library, place(folder), { ...until(signal), ...selected(assets) });
    },
    async plan(library, folder, signal) {
      const { pushFolder } = await import('@bindery/sdk/libraries');
      return pushFolder(client, library, place(folder), { ...until(signal), dryRun: true });
    },
    async push(library, folder, plan, signal) {
      const { pushFolder } = await import('@bindery/sdk/libraries');
      const { status, revision } = await pushFolder(client, library, place(folder), {
        ...until(signal),
        plan,
        // The tool has asked about what this plan removes.
        confirmRemovals: async () => {},
      });
      return { status: status === 'unchanged' ? status : 'published', revision };
    },
  };
  return withToolErrors(functions, (message) => withoutRoot(message, real), real);
}

/** Names folders and files as agents do, relative to the root; where that is on this machine is none of their business. */
function withoutRoot(message: string, root: string): string {
  return root === parse(root).root
    ? message
    : message.replaceAll(root + sep, '').replaceAll(`${root} `, '. ');
}
