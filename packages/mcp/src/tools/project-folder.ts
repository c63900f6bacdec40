import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored } from '../authored.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import type { OutdatedLibrary, WorkingCopies } from '../working-copies.ts';
import { amount, folderInput, limitPaths } from './folders.ts';

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
        changed: names.describe('Assets of the project whose files are others now.'),
        gone: names.describe('Assets of the project that the library no longer has.'),
        added: names.describe('Assets that assets.yml matches and that are new.'),
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
      'locked. sync_project_folder gets them: with "upgrade", or with "use" for another release. Changes nothing.',
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
  use: z
    .array(z.string().min(1).max(500))
    .max(BOUNDS.usedAssets)
    .default([])
    .describe(
      'Assets to add to assets.yml, as <namespace>/<library>/<assetId> or <namespace>/<library>@<release>/<assetId>; one that is there already gets this release.',
    ),
  upgrade: z.boolean().default(false).describe('Update the lock to what is available now.'),
});

const syncOutput = z.object({
  folder: z.string().describe('The absolute path of the folder with the assets.'),
  lockChanged: z.boolean(),
  fetched: amount.describe('Downloaded.'),
  cached: amount.describe('Placed from what this machine had already, in its cache or in other folders.'),
  unchanged: amount.describe('Already in the folder.'),
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
    removed: names.describe('Files that no longer belong to the project.'),
    left: names.describe('The same, but edited here, so they stay.'),
  }),
});

export const syncProjectFolder = (copies: WorkingCopies) =>
  defineTool({
    name: 'sync_project_folder',
    title: 'Put the assets of a project in place',
    description:
      'Puts the assets that assets.yml lists into the folder of the project and locks their exact contents in assets.lock, ' +
      'so that everybody gets the same bytes. What is locked stays, unless "upgrade". Every byte is verified; edited files are never replaced.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    input: syncInput,
    output: syncOutput,
    async run({ folder: project, use, upgrade }, { signal }) {
      const { folder, lockChanged, fetched, cached, unchanged, assets, removed, left } = await copies.sync(
        project,
        { use, upgrade },
        signal,
      );
      return {
        value: {
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
        },
      };
    },
  });
