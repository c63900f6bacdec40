import { assetId } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored } from '../authored.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import type { OutdatedLibrary, SyncReport, WorkingCopies } from '../working-copies.ts';
import { amount, folderInput, limitPaths } from './folders.ts';
import { formatLibrary, revisionInput } from './names.ts';

const projectInput = z.strictObject({ folder: folderInput.describe('The folder with assets.yml.') });

const version = z.string().describe('A release, or the number of a revision.');
const names = z.array(z.string());

const checkOutput = z.object({
  upToDate: z.boolean(),
  outdated: z.array(
    z.object({
      library: z.string(),
      locked: version,
      now: version,
      authored: z.object({
        changed: names.describe('Of the project, with other files now.'),
        gone: names.describe('Of the project, no longer in the library.'),
        added: names.describe('New, and matched by assets.yml.'),
      }),
    }),
  ),
});

export const checkProjectFolder = (copies: WorkingCopies) =>
  defineTool({
    name: 'check_project_folder',
    title: 'Check what a project has locked',
    description:
      'Says of a folder with assets.yml and assets.lock whether the libraries have other files by now than those that are ' +
      'locked. sync_project_folder with "upgrade" gets them, add_to_project another release. Changes nothing.',
    annotations: READ_ONLY,
    input: projectInput,
    output: checkOutput,
    async run({ folder }, { signal }) {
      const outdated = await copies.outdated(folder, signal);
      return { value: { upToDate: outdated.length === 0, outdated: outdated.map(describe) } };
    },
  });

function describe({ library, locked, now, changed, gone, added }: OutdatedLibrary) {
  return {
    library,
    locked: locked.release ?? String(locked.revision),
    now: now.release ?? String(now.revision),
    ...authored({ changed: limitPaths(changed), gone: limitPaths(gone), added: limitPaths(added) }),
  };
}

const syncInput = projectInput.extend({
  upgrade: z.boolean().default(false).describe('Whether to update the lock to what is available now.'),
});

const addInput = z.strictObject({
  folder: folderInput.describe('Of the project; created if need be.'),
  library: revisionInput,
  assets: z.array(assetId).min(1).max(BOUNDS.usedAssets),
});

const syncOutput = z.object({
  folder: z.string(),
  lockChanged: z.boolean(),
  fetched: amount,
  cached: amount.describe('Placed from what this machine had.'),
  unchanged: amount,
  assetCount: z.int(),
  removedCount: z.int(),
  authored: z.object({
    assets: z
      .array(
        z.object({
          name: z.string(),
          library: z.string(),
          assetId: z.string(),
          entry: z.string().nullable().describe('The file to open, in the folder.'),
        }),
      )
      .describe(`The first ${BOUNDS.pulledAssets}.`),
    removed: names,
    left: names.describe('Removed from the project, but edited here, so they stay.'),
  }),
});

export const syncProjectFolder = (copies: WorkingCopies) =>
  defineTool({
    name: 'sync_project_folder',
    title: 'Put the assets of a project in place',
    description:
      'Puts the assets that assets.yml lists into the folder of the project and locks their exact contents in assets.lock. What is locked stays, ' +
      'unless "upgrade"; edited files are never replaced.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    input: syncInput,
    output: syncOutput,
    async run({ folder, upgrade }, { signal }) {
      return { value: describeSync(await copies.sync(folder, { use: [], upgrade }, signal)) };
    },
  });

export const addToProject = (copies: WorkingCopies) =>
  defineTool({
    name: 'add_to_project',
    title: 'Add assets to a project',
    description:
      'Adds assets of a library, or of a release, to assets.yml of a project, puts them in place and locks them, in one call: all of it or nothing. ' +
      'Assets that the project has already get this release.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    input: addInput,
    output: syncOutput,
    async run({ folder, library, assets }, { signal }) {
      const use = assets.map((asset) => `${formatLibrary(library)}/${asset}`);
      return { value: describeSync(await copies.sync(folder, { use, upgrade: false }, signal)) };
    },
  });

function describeSync(synced: SyncReport): z.input<typeof syncOutput> {
  const { folder, lockChanged, fetched, cached, unchanged, assets, removed, left } = synced;
  return {
    folder,
    lockChanged,
    fetched,
    cached,
    unchanged,
    assetCount: assets.length,
    removedCount: removed.length,
    ...authored({
      assets: assets
        .slice(0, BOUNDS.pulledAssets)
        .map(({ name, library, asset, entry }) => ({ name, library, assetId: asset, entry })),
      removed: limitPaths(removed),
      left: limitPaths(left),
    }),
  };
}
