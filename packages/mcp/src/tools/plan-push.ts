import { z } from 'zod';
import { authored } from '../authored.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import type { PlanReport, WorkingCopies } from '../working-copies.ts';
import { folderInput, limitPaths, thumbnailsInput } from './folders.ts';
import { formatLibrary, libraryInput } from './names.ts';

const input = z.strictObject({
  folder: folderInput,
  library: libraryInput.describe('<namespace>/<library>; created by the push if it does not exist.'),
  thumbnails: thumbnailsInput,
});

const counts = z.object({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() });
const ids = z.array(z.string());

const output = z.object({
  library: z.string(),
  folder: z.string(),
  revision: z.int().describe('That it would follow; 0 if there is no library yet.'),
  plan: z.string().nullable().describe('For push; null if a push would stop, or change nothing.'),
  unchanged: z.boolean(),
  refused: z
    .boolean()
    .describe(
      'A push would stop: it would undo what others did, as authored.refusal says. Call pull_assets first, or ask the person.',
    ),
  assets: counts,
  files: counts,
  upload: z.object({ files: z.int(), bytes: z.int() }),
  removals: z.int().describe('If not 0, push needs agreedRemovals.'),
  leftOut: z.int(),
  authored: z.object({
    added: ids,
    changed: ids,
    removed: ids,
    removals: ids,
    leftOut: ids,
    refusal: z.string().nullable(),
  }),
});

export const planPush = (copies: WorkingCopies) =>
  defineTool({
    name: 'plan_push',
    title: 'Plan a push',
    description:
      'Plans what push would publish from a folder, and changes nothing. Show the result to the person; push needs its plan.',
    annotations: READ_ONLY,
    input,
    output,
    async run({ folder, library, thumbnails }, { signal }) {
      const report = await copies.plan(library, folder, thumbnails, signal);
      const { revision, plan, unchanged, refusal, assets, files, upload, leftOut } = report;
      return {
        value: {
          library: formatLibrary(library),
          folder,
          revision,
          plan: unchanged || refusal !== null ? null : plan,
          unchanged,
          refused: refusal !== null,
          assets: countsOf(assets),
          files: countsOf(files),
          upload,
          removals: countRemovals(report),
          leftOut: leftOut.length,
          ...authored({
            added: limitPaths(assets.added),
            changed: limitPaths(assets.changed),
            removed: limitPaths(assets.removed),
            removals: limitPaths(describeRemovals(report)),
            leftOut: limitPaths(leftOut.map(withRule)),
            refusal,
          }),
        },
      };
    },
  });

export function countRemovals({ removedMetadata, withheld }: PlanReport): number {
  return removedMetadata.reduce((sum, { keys }) => sum + keys.length, withheld.length);
}

/** `mug: title, license`, `the library: license`, or `mug/run.log (ignored by .gitignore:1 (*.log))`. */
export function describeRemovals({ removedMetadata, withheld }: PlanReport): string[] {
  return [
    ...removedMetadata.map(({ asset, keys }) => `${asset ?? 'the library'}: ${keys.join(', ')}`),
    ...withheld.map(withRule),
  ];
}

function withRule({ path, reason, by }: PlanReport['leftOut'][number]): string {
  return `${path} (${by === undefined ? reason : `${reason} by ${by}`})`;
}

function countsOf({ added, changed, removed, unchanged }: PlanReport['assets']) {
  return { added: added.length, changed: changed.length, removed: removed.length, unchanged };
}
