import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { authored, escapeHiddenText } from '../authored.ts';
import { type Call, defineTool, READ_ONLY } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import type { PlanReport, WorkingCopies } from '../working-copies.ts';
import { folderInput, limitPaths, thumbnailsInput } from './folders.ts';
import { formatLibrary, libraryInput } from './names.ts';

const input = z.strictObject({
  folder: folderInput,
  library: libraryInput,
  thumbnails: thumbnailsInput,
  plan: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be the plan that plan_push returned, 64 hexadecimal digits' })
    .describe('From plan_push for the same folder and library, and agreed to by the person.'),
  confirmed: z
    .string()
    .optional()
    .describe(
      'The same plan again, once the person agreed to what it changes; needed if the client cannot ask them.',
    ),
  agreedRemovals: z
    .boolean()
    .optional()
    .describe(
      'Whether the person agreed to authored.removals of plan_push; needed if the client cannot ask them.',
    ),
});

const output = z.object({
  library: z.string(),
  folder: z.string(),
  status: z.enum(['published', 'unchanged']),
  revision: z.int(),
});

const confirmationSchema = z.object({ publish: z.boolean().describe('Publish this') });

export const pushFolder = (copies: WorkingCopies) =>
  defineTool({
    name: 'push',
    title: 'Publish a folder',
    description:
      'Publishes a folder as the next revision of a library, exactly as plan_push planned it, or not at all. Call it only ' +
      'after the person agreed to that plan. It removes assets that the folder does not have.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    input,
    output,
    async run({ folder, library, thumbnails, plan, confirmed, agreedRemovals = false }, call) {
      const planned = await copies.plan(library, folder, thumbnails, call.signal);
      if (planned.plan !== plan) throw planChangedError();
      const name = formatLibrary(library);
      if (call.capabilities.elicitation === undefined) {
        const removals = countRemovals(planned);
        if (removals > 0 && !agreedRemovals) throw removalsError();
        if (confirmed !== plan) throw confirmationNeeded();
      }
      const question = requestConfirmation(name, folder, planned, call);
      if (question !== null) return question;
      const { status, revision } = await copies.push(library, folder, { plan, thumbnails }, call.signal);
      return { value: { library: name, folder, status, revision } };
    },
  });

/** Asks the person, if the client can. Returns null once they have agreed, or if they agreed elsewhere. */
function requestConfirmation(
  library: string,
  folder: string,
  planned: PlanReport,
  { capabilities, context }: Call,
): InputRequiredResult | null {
  if (capabilities.elicitation === undefined) return null;
  const responses = context.mcpReq.inputResponses;
  if (responses?.publish === undefined) {
    const { assets, upload } = planned;
    const changes = `${assets.added.length} added, ${assets.changed.length} changed, ${assets.removed.length} removed`;
    const lost = shortList(describeRemovals(planned));
    const removes = lost === '' ? '' : ` It removes from assets that stay: ${lost}.`;
    const message = `Publish the folder ${folder} as ${library}? Assets: ${changes}. ${upload.files} files, ${upload.bytes} bytes to upload.${removes}`;
    return inputRequired({
      inputRequests: { publish: inputRequired.elicit({ message, requestedSchema: confirmationSchema }) },
    });
  }
  if (acceptedContent(responses, 'publish', confirmationSchema)?.publish === true) return null;
  throw new ToolError(
    'declined',
    'The person did not agree to publish this.',
    'Ask them what they want instead.',
  );
}

function confirmationNeeded(): ToolError {
  return new ToolError(
    'confirmation_needed',
    'This client cannot ask the person whether to publish this.',
    'Show them the result of plan_push and ask. Once they agree, call push again with "confirmed" set to the plan.',
  );
}

const MAX_NAMED = 10;

function shortList(lines: readonly string[]): string {
  const more = lines.length > MAX_NAMED ? [`${lines.length - MAX_NAMED} more`] : [];
  return escapeHiddenText([...lines.slice(0, MAX_NAMED), ...more].join('; '));
}

function removalsError(): ToolError {
  return new ToolError(
    'removals',
    'This push removes texts, licences or files of assets that stay; plan_push lists them as authored.removals.',
    'Ask the person. If they agree, call push again with agreedRemovals. Else state the texts in bindery.yml, or include the files in .binderyignore, and plan again.',
  );
}

function planChangedError(): ToolError {
  return new ToolError(
    'plan_changed',
    'This is not what a push would publish now: the folder or the library has changed, or the plan is for another one.',
    'Call plan_push again, and show its result to the person.',
  );
}

const planInput = z.strictObject({
  folder: folderInput,
  library: libraryInput.describe('<namespace>/<library>; created by the push if it does not exist.'),
  thumbnails: thumbnailsInput,
});

const counts = z.object({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() });
const ids = z.array(z.string());

const planOutput = z.object({
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
    input: planInput,
    output: planOutput,
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

function countRemovals({ removedMetadata, withheld }: PlanReport): number {
  return removedMetadata.reduce((sum, { keys }) => sum + keys.length, withheld.length);
}

/** `mug: title, license`, `the library: license`, or `mug/run.log (ignored by .gitignore:1 (*.log))`. */
function describeRemovals({ removedMetadata, withheld }: PlanReport): string[] {
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
