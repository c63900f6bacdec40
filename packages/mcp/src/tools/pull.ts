import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored } from '../authored.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { amount, assetsInput, folderInput, limitPaths } from './folders.ts';
import { formatLibrary, revisionInput } from './names.ts';

const input = z.strictObject({
  library: revisionInput,
  assets: assetsInput,
  folder: folderInput,
});

const output = z.object({
  library: z.string(),
  revision: z.int(),
  folder: z.string(),
  fetched: amount,
  cached: amount.describe('Placed from what this machine had.'),
  unchanged: amount,
  keptCount: z.int(),
  deletedCount: z.int(),
  refusedCount: z
    .int()
    .describe('Not placed: other programs trust what is there, or the disk does not allow the name.'),
  setAside: z
    .object({ folder: z.string(), count: z.int() })
    .nullable()
    .describe('Files that were edited while the pull ran, and where they are.'),
  authored: z.object({
    assets: z.array(
      z.object({ assetId: z.string(), entry: z.string().nullable(), license: z.string().nullable() }),
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
      'Downloads a library, or some of its assets, into a folder on this machine, and verifies every file. Files that were edited or deleted there ' +
      'stay so. "entry" of an asset is the file to open.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
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

const checkInput = z.strictObject({
  library: revisionInput,
  assets: assetsInput,
  folder: folderInput,
});

const checkOutput = z.object({
  library: z.string(),
  revision: z.int(),
  folder: z.string(),
  status: z.enum(['up-to-date', 'stale', 'absent']),
  toFetch: z.object({ files: z.int(), bytes: z.int() }),
  authored: z.object({ missing: z.array(z.string()), different: z.array(z.string()) }),
});

export const checkFolder = (copies: WorkingCopies) =>
  defineTool({
    name: 'check_folder',
    title: 'Check a folder',
    description:
      'Checks whether a folder is up to date with a library, or with some of its assets. Changes nothing.',
    annotations: READ_ONLY,
    input: checkInput,
    output: checkOutput,
    async run({ library, assets, folder }, { signal }) {
      const report = await copies.check(library, assets ?? null, folder, signal);
      const { revision, status, files, bytes, missing, different } = report;
      return {
        value: {
          library: formatLibrary(library),
          revision,
          folder,
          status,
          toFetch: { files, bytes },
          ...authored({ missing: limitPaths(missing), different: limitPaths(different) }),
        },
      };
    },
  });
