import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored } from '../authored.ts';
import { defineTool } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { amount, assetsInput, folderInput, limitPaths } from './folders.ts';
import { formatLibrary, revisionInput } from './names.ts';

const input = z.strictObject({
  library: revisionInput.describe('<namespace>/<library>, or <namespace>/<library>@<release>.'),
  assets: assetsInput,
  folder: folderInput,
});

const output = z.object({
  library: z.string(),
  revision: z.int(),
  folder: z.string().describe('Its absolute path on this machine.'),
  fetched: amount.describe('Downloaded.'),
  cached: amount.describe('Placed from what this machine had already, in its cache or in other folders.'),
  unchanged: amount.describe('Already in the folder.'),
  keptCount: z.int().describe('Files that were edited in the folder and stay as they are.'),
  deletedCount: z.int().describe('Files that were deleted in the folder and are not restored.'),
  refusedCount: z
    .int()
    .describe(
      'Files that are not placed, because other programs trust what is there, or the disk does not allow the name.',
    ),
  setAside: z
    .object({ folder: z.string(), count: z.int() })
    .nullable()
    .describe(
      'Files that were edited while the pull ran, and the folder to which they were moved; null if there are none.',
    ),
  authored: z.object({
    assets: z
      .array(z.object({ assetId: z.string(), entry: z.string().nullable(), license: z.string().nullable() }))
      .describe(
        `The first ${BOUNDS.pulledAssets} that were pulled; entry is the file to open, in the folder.`,
      ),
    kept: z.array(z.string()),
    deleted: z.array(z.string()),
    refused: z.array(z.string()),
  }),
});

export const pullAssets = (copies: WorkingCopies) =>
  defineTool({
    name: 'pull_assets',
    title: 'Pull assets into a folder',
    description:
      'Downloads a library, or some of its assets, into a folder on this machine. Every file is verified; files that are there ' +
      'already are skipped, files that were edited there since are kept, and files that were deleted there stay deleted, unless all were.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    input,
    output,
    async run({ library, assets, folder: into }, { signal }) {
      const pulled = await copies.pull(library, assets ?? null, into, signal);
      const { revision, folder, opened, fetched, cached, unchanged, kept, deleted, setAside, refused } =
        pulled;
      return {
        value: {
          library: formatLibrary(library),
          revision,
          folder,
          fetched,
          cached,
          unchanged,
          keptCount: kept.length,
          deletedCount: deleted.length,
          refusedCount: refused.length,
          setAside: setAside && { folder: setAside.folder, count: setAside.files.length },
          ...authored({
            assets: opened
              .slice(0, BOUNDS.pulledAssets)
              .map(({ asset, entry, license }) => ({ assetId: asset, entry, license })),
            kept: limitPaths(kept),
            deleted: limitPaths(deleted),
            refused: limitPaths(refused),
          }),
        },
      };
    },
  });
