import { z } from 'zod';
import { authored } from '../authored.ts';
import { defineTool } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { assetsInput, folderInput, limitPaths } from './folders.ts';
import { formatLibrary, revisionInput } from './names.ts';

const amount = z.object({ files: z.int(), bytes: z.int() });

const input = z.strictObject({
  library: revisionInput.describe('<namespace>/<library>, or <namespace>/<library>@<release>.'),
  assets: assetsInput,
  folder: folderInput,
});

const output = z.object({
  library: z.string(),
  revision: z.int(),
  folder: z.string(),
  fetched: amount,
  unchanged: amount,
  keptCount: z.int().describe('Files that were edited in the folder and stay as they are.'),
  authored: z.object({ kept: z.array(z.string()) }),
});

export const pullAssets = (copies: WorkingCopies) =>
  defineTool({
    name: 'pull_assets',
    title: 'Pull assets into a folder',
    description:
      'Downloads a library, or some of its assets, into a folder on this machine. Every file is verified; files that are there ' +
      'already are skipped, and files that were edited there since are kept.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    input,
    output,
    async run({ library, assets, folder }) {
      const { revision, fetched, unchanged, kept } = await copies.pull(library, assets ?? null, folder);
      return {
        value: {
          library: formatLibrary(library),
          revision,
          folder,
          fetched,
          unchanged,
          keptCount: kept.length,
          ...authored({ kept: limitPaths(kept) }),
        },
      };
    },
  });
