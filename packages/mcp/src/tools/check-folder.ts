import { z } from 'zod';
import { authored } from '../authored.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { assetsInput, folderInput, limitPaths } from './folders.ts';
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
    input,
    output,
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
