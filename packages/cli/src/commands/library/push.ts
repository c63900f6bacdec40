import { basename, resolve } from 'node:path';
import { LIBRARY_NAME, LIMITS, NAMESPACE_SLUG, routes } from '@bindery/contract/wire';
import { ApiError, formatLibraryAddress, type LibraryAddress } from '@bindery/sdk';
import type { PublishOptions, PushPlan, PushResult } from '@bindery/sdk/libraries';
import {
  argument,
  defineCommand,
  flag,
  flagOrItems,
  option,
  optionalArgument,
  type Parse,
  text,
  UsageProblem,
} from '../../command.ts';
import type { Context } from '../../context.ts';
import { tuneGcForTransfers } from '../../garbage-collection.ts';
import { CommandError, usageError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, formatFiles, formatParts, sanitizeLine, sanitizeLines } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';
import { certify, engine, reportCertificates, withCertifier } from './certificates.ts';
import { refuseCheckErrors } from './check.ts';
import { embed, embeddingModel, model, reportEmbeddings } from './embeddings.ts';
import { exclude, include, libraryAddress, visibility, yes } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { previewSignedOut, showPreview, showSignedOutPlan } from './preview.ts';
import { pageOf, rawUrl, warnOfPaths } from './report.ts';
import { removalQuestion, reportLostArtifacts, reportRemovals, reportSkippedPaths } from './report-push.ts';
import { reportThumbnails, thumbnails, withRenderer } from './thumbnails.ts';

const MAX_LISTED = 20;

/** A title, and what follows its first line as a message. */
const proposedText: Parse<{ title: string; message?: string }> = (value) => {
  const [first = '', ...rest] = value.trim().split('\n');
  const [title, message] = [first.trim(), rest.join('\n').trim()];
  const { title: longest, message: most } = LIMITS.proposals;
  if (title === '' || title.length > longest) throw new UsageProblem(`a title of 1 to ${longest} characters`);
  if (message.length > most) throw new UsageProblem(`expected at most ${most} characters after the title`);
  return message === '' ? { title } : { title, message };
};

/** Other commands take a library with its namespace. */
const nameAlone: Parse<string> = (value) => {
  if (value.includes('/'))
    throw new UsageProblem(
      'expected its name; a namespace goes in <ns/name> after the folder, or in --namespace',
    );
  return nameParser(LIBRARY_NAME)(value);
};

export const push = defineCommand({
  name: 'push',
  summary: 'Publish a folder as a library, or update the library from it',
  description:
    'Assets are found automatically; see "bindery library check". bindery.yml in the folder can say more. Only what the library ' +
    'does not hold is sent, and it is published whole or not at all. An interrupted push resumes where it stopped.\n\n' +
    'A push that would undo changes of others since the folder was last pushed or pulled stops and lists them. ' +
    '"bindery library pull --keep" brings them and keeps your edits; merge what both sides changed, and push. ' +
    '--force=<asset or file> publishes your version of that alone. A push that ' +
    'removes texts or licences lists them and asks; --yes agrees. What the library says about an asset and nothing in the ' +
    'folder states (another client wrote it) stays.\n\n' +
    'What .gitignore and .binderyignore files name is left out and listed, as are hidden files; likely secrets always are. ' +
    '--include publishes what they name, and "!path" in a .binderyignore does so in every push.\n\n' +
    '--thumbnails draws what has not been drawn before; a picture that comes with an asset is used instead, reduced if it is large. Without it, ' +
    'thumbnails drawn earlier stay with the assets whose files have not changed.\n\n' +
    '--certify simulates every robot that is new or changed in MuJoCo. Its certificate says how it behaved, and is published with it, with an animated picture. ' +
    'If a robot fails, nothing is published, unless "check: {accept: [code]}" in bindery.yml accepts the failure; it then has no certificate. ' +
    '--engine has other engines simulate it, too, and the certificate says what they make of it; the Python that BINDERY_PYTHON names needs the package of Bindery with its extra "engines".\n\n' +
    '--propose publishes nothing: what would be published is kept until somebody who may publish it accepts or refuses it. ' +
    'Every member of the namespace can propose, readers too; see "bindery proposal".\n\n' +
    '--embed computes vectors of the thumbnails, and of title, tags and description, with a model that ' +
    '"bindery model pull" downloaded; only what changed is encoded. Without it, vectors stay with the assets whose thumbnail ' +
    'and texts have not changed.',
  resumes: true,
  inputs: {
    dir: argument('<dir>', 'the folder', text),
    address: optionalArgument('<ns/name>', 'the library; created if it does not exist', libraryAddress),
    namespace: option('<slug>', 'its namespace; by default your own', nameParser(NAMESPACE_SLUG)),
    library: option(
      '<name>',
      'its name; by default library.name of bindery.yml, else the name of the folder',
      nameAlone,
    ),
    include,
    exclude,
    dryRun: flag('show what would change, and change nothing'),
    expand: flag('first write robots in xacro as URDF next to their macros, for programs that have none'),
    check: flag('check the folder first, like library check, and stop if there are errors'),
    verify: flag(
      'read every local file again, have the service read what it stores, and replace what it has lost',
    ),
    visibility,
    propose: option(
      '<why>',
      'keep it as a proposal for those who may publish; the first line is its title',
      proposedText,
    ),
    certify,
    engine,
    thumbnails,
    embed,
    model,
    force: flagOrItems(
      '<item>',
      'undo changes of others since the folder was last pushed or pulled: all of them or, of this asset or file, those that a pull or a stopped push has shown; can be repeated',
    ),
    yes,
  },
  examples: [
    ['bindery library push robots', 'to your own namespace, under the name of the folder'],
    ['bindery library push robots acme/robots --dry-run', 'what would be added, changed and removed'],
    [
      'bindery library push robots acme/robots --expand',
      'with a URDF of every robot that is written in xacro',
    ],
    ['bindery library push robots acme/robots --visibility public', 'publish for everybody'],
    [
      'bindery library push robots acme/robots --force=arm',
      'my version of one asset, whatever others did to it',
    ],
    ['bindery library push robots acme/robots --certify', 'only if its robots hold in simulation'],
    [
      'bindery library push robots acme/robots --certify --engine newton --engine pybullet',
      'with what two other engines make of them',
    ],
    [
      'bindery library push robots acme/robots --propose "Lighter gripper"',
      'ask those who may publish to take it over',
    ],
    ['bindery library push robots acme/robots --thumbnails', 'with a picture of every asset'],
    [
      'bindery library push robots acme/robots --thumbnails --embed',
      'and with vectors of them, for search by meaning',
    ],
  ],
  async run(inputs, context) {
    const {
      dir,
      address,
      namespace,
      library,
      certify,
      engine,
      thumbnails,
      embed,
      model,
      check,
      expand,
      yes,
      propose,
      ...options
    } = inputs;
    if (propose !== undefined && options.visibility !== undefined)
      throw usageError('A proposal does not change who can see a library.', 'Leave out --visibility.');
    const { include, exclude } = options;
    if (expand && options.dryRun) await writeExpansions(dir, { include, exclude }, context, true);
    const authorCheck = check ? await refuseCheckErrors(dir, { include, exclude }, context) : undefined;
    if (options.dryRun && (await context.token()) === null)
      return previewSignedOut(dir, { include, exclude }, context);
    const embedding = await embeddingModel({ embed, model }, context);
    const client = await context.signedInClient();
    const chosen = await chooseLibrary(dir, { address, namespace, library }, context);
    if (expand && !options.dryRun) await writeExpansions(dir, { include, exclude }, context, false);
    const { pushFolder } = await import('@bindery/sdk/libraries');
    const parts = await localOptions(context);
    tuneGcForTransfers();
    const confirmRemovals = async (plan: PushPlan) => {
      reportRemovals(plan, context.output);
      await context.confirm(removalQuestion(plan), { yes, nonInteractive: 'refuse' });
    };
    try {
      const result = await withCertifier({ certify, engine }, context.environment, (certifier) =>
        withRenderer(thumbnails, context.output, (drawing) =>
          pushFolder(client, chosen, dir, {
            ...parts,
            ...options,
            propose: propose && { ...propose, authorCheck },
            confirmRemovals,
            certifier,
            ...drawing,
            model: embedding,
          }),
        ),
      );
      return { ...result, page: pageOf(client, chosen), url: rawUrl(client, chosen) };
    } catch (error) {
      throw explainMissingNamespace(error, chosen);
    }
  },
  render(result, output) {
    if (result.status === 'preview') return showSignedOutPlan(result, output);
    reportPush(result, output);
  },
});

type ReportedPush = PushResult & { page: string; url: string | null };

/** Reports what was published, or would be. */
export function reportPush(result: ReportedPush, output: Output): void {
  reportSkippedPaths(result.leftOut, output);
  reportCertificates(result.certificates, result.status === 'planned', output);
  reportThumbnails(result.thumbnails, result.status === 'planned', output);
  reportEmbeddings(result.embeddings, result.status === 'planned', output);
  reportLostArtifacts(result.lost, output);
  reportReplaced(result, output);
  reportOverwritten(result, output);
  for (const warning of result.warnings) output.warn(sanitizeLine(warning));
  if (result.status === 'planned') {
    showPlan(result, output);
    return;
  }
  const { library, status, revision, assets, unlicensed } = result;
  if (status === 'unchanged') {
    output.line(
      `${library} is up to date (revision ${revision}, ${formatCount(assets.unchanged, 'asset')}).`,
    );
    return;
  }
  if (result.proposal !== null) {
    const changed = formatParts('asset', changesOf(assets)) || 'no asset changed';
    output.line(
      `Proposal ${result.proposal} of ${library}: ${changed}, ${formatFiles(result.upload)} uploaded.`,
    );
    output.note(`See it at ${result.page}/-/proposals/${result.proposal}`);
    return;
  }
  if (unlicensed > 0)
    output.note(
      `${formatCount(unlicensed, 'asset has', 'assets have')} no licence; bindery.yml can state one.`,
    );
  const changed = formatParts('asset', changesOf(assets)) || 'no asset changed';
  output.line(
    `Published revision ${revision} of ${library}: ${changed}, ${formatFiles(result.upload)} uploaded.`,
  );
  output.note(`See it at ${result.page}`);
  output.note(`Its files stay at ${result.url}`);
}

async function writeExpansions(
  dir: string,
  rules: PublishOptions,
  { output, signal }: Context,
  isTried: boolean,
): Promise<void> {
  const { expandRobots } = await import('@bindery/sdk/libraries');
  const { written, skipped } = await expandRobots(dir, rules, isTried, { signal });
  for (const sentence of skipped) output.warn(sanitizeLine(sentence));
  for (const path of written) output.note(`${isTried ? 'Would write' : 'Wrote'} ${sanitizeLine(path)}`);
}

/** A push creates a library that does not exist, so `not_found` is about the namespace. */
function explainMissingNamespace(error: unknown, { namespace }: LibraryAddress): unknown {
  if (!(error instanceof ApiError) || error.code !== 'not_found') return error;
  return new CommandError(
    EXIT.notFound,
    error.code,
    `You cannot publish in ${namespace}, or it does not exist.`,
    {
      next: '"bindery namespace list" shows where you can; "bindery namespace create" creates another.',
      details: { status: error.status, requestId: error.requestId },
      cause: error,
    },
  );
}

/** Returns the typed library; defaults are the own namespace and the name in `bindery.yml` or of the folder. */
async function chooseLibrary(
  dir: string,
  typed: { address: LibraryAddress | undefined; namespace: string | undefined; library: string | undefined },
  context: Context,
): Promise<LibraryAddress> {
  const { address, library } = typed;
  if (address !== undefined) {
    if (typed.namespace === undefined && library === undefined) return address;
    throw usageError(
      'The library is given twice.',
      `Leave out ${formatLibraryAddress(address)}, or --namespace and --library.`,
    );
  }
  const name = library ?? (await defaultLibraryName(dir));
  if (!LIBRARY_NAME.pattern.test(name)) {
    throw usageError(
      `${JSON.stringify(name)} cannot be the name of a library.`,
      'Name it with --library <name>: lower case, digits, dot, dash and underscore.',
    );
  }
  const client = await context.signedInClient();
  const namespace = typed.namespace ?? (await client.call(routes.login.getProfile, {})).namespace;
  return { namespace, name };
}

async function defaultLibraryName(dir: string): Promise<string> {
  const { curatedName } = await import('@bindery/sdk/libraries');
  return curatedName(dir) ?? basename(resolve(dir));
}

function showPlan(result: PushResult, output: Output): void {
  const { library, revision, assets, files, refusal, unchanged } = result;
  if (result.preview !== null) showPreview(result.preview, output);
  output.table({
    headings: ['change', 'asset'],
    rows: [
      ...assets.added.map((id) => ['added', id]),
      ...assets.changed.map((id) => ['changed', id]),
      ...assets.removed.map((id) => ['removed', id]),
    ],
  });
  reportRemovals(result, output);
  for (const line of [
    formatParts('asset', [...changesOf(assets), [assets.unchanged, 'unchanged']]),
    formatParts('file', [...changesOf(files), [files.unchanged, 'unchanged']]),
    `${formatFiles(result.upload)} to upload`,
  ])
    if (line !== '') output.line(line);
  if (result.unmeasured > 0) output.note(`${formatCount(result.unmeasured, 'asset')} to measure.`);
  const against =
    revision === 0 ? `${library} does not exist yet` : `against revision ${revision} of ${library}`;
  output.note(
    unchanged ? `Nothing would change, ${against}.` : `Nothing was changed; this is a plan, ${against}.`,
  );
  if (refusal !== null) output.warn(`this push would stop without --force. ${sanitizeLines(refusal)}`);
}

function changesOf({ added, changed, removed }: PushResult['assets' | 'files']): [number, string][] {
  return [
    [added.length, 'added'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
  ];
}

function reportOverwritten({ overwritten, status }: PushResult, output: Output): void {
  warnOfPaths(
    `${status === 'planned' ? 'Would replace' : 'Replaced'} what others had published`,
    overwritten.map(({ item, change }) => `${item} (${change} there)`),
    output,
  );
}

function reportReplaced({ replaced }: PushResult, output: Output): void {
  if (replaced.length === 0) return;
  output.note(`The service had lost ${formatCount(replaced.length, 'file')}, now replaced:`);
  for (const path of replaced.slice(0, MAX_LISTED)) output.note(`  ${sanitizeLine(path)}`);
  if (replaced.length > MAX_LISTED) output.note(`  … and ${replaced.length - MAX_LISTED} more`);
}
