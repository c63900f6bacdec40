import { routes, WATCH_SCHEDULES } from '@bindery/contract/wire';
import { libraryParams } from '@bindery/sdk';
import type { PushPlan } from '@bindery/sdk/libraries';
import { argument, defineCommand, flag, flagOrItems, option, text } from '../../command.ts';
import { tuneGcForTransfers } from '../../garbage-collection.ts';
import { usageError } from '../../output/command-error.ts';
import { formatCount, formatFiles, sanitizeLine } from '../../output/text.ts';
import { certify, engine, withCertifier } from './certificates.ts';
import { exclude, include, library, visibility, yes } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { reportPush } from './push.ts';
import { pageOf, rawUrl, warnOfPaths } from './report.ts';
import { removalQuestion, reportRemovals } from './report-push.ts';
import { thumbnails, withRenderer } from './thumbnails.ts';
import { reportWatch, requireWatching, schedule } from './watch.ts';

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Publish what another place holds, as a copy of your own',
  description:
    'A source is one of:\n' +
    '  https://github.com/owner/repository@v1.0, or git+<url>[@branch, tag or commit]; files of LFS included\n' +
    '  hf:owner/name@main, hf:datasets/owner/name: a model or dataset of Hugging Face (HF_ENDPOINT, HF_TOKEN)\n' +
    '  fuel:owner, fuel:owner/collections/name, fuel:owner/models/name: models of Gazebo Fuel\n' +
    '  s3://bucket/folder: a bucket (AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)\n' +
    '  https://example.org/models/: a folder that a web server lists; https://example.org/models.zip, .tar.gz\n' +
    '  https://bindery.example/ns/library@v1: a library of another Bindery (BINDERY_SOURCE_TOKEN)\n' +
    '  list:files.txt: in each line <sha256> <url> [<path>]\n\n' +
    'What the source has at this moment is fetched, verified as far as the source says what it is, and published like a push: each asset says ' +
    'where it comes from. An import that was interrupted goes on where it stopped, and the next one fetches only what changed. ' +
    'Assets that the source no longer has stay, unless --prune removes them, and a history that was rewritten is not followed without --force. ' +
    'Submodules and links of git are left out and listed.',
  resumes: true,
  inputs: {
    source: argument('<source>', 'what to import', text),
    library,
    include,
    exclude,
    dryRun: flag('fetch, show what would change, and publish nothing'),
    watch: option(
      '<schedule>',
      `then have the service import it by itself: ${WATCH_SCHEDULES.join(', ')}`,
      schedule,
    ),
    prune: flag('remove assets that the source no longer has'),
    visibility,
    certify,
    engine,
    thumbnails,
    force: flagOrItems(
      '<item>',
      'follow a history that was rewritten, and undo changes of others to what was imported before: to all of it or to this asset or file; can be repeated',
    ),
    yes,
  },
  examples: [
    [
      'bindery library import https://github.com/google-deepmind/mujoco_menagerie lab/menagerie',
      'the robots of a repository as they are today',
    ],
    ['bindery library import fuel:OpenRobotics/collections/Cafe lab/cafe', 'a collection of Gazebo Fuel'],
    ['bindery library import hf:datasets/lab/scans@v2 lab/scans --dry-run', 'what would change'],
    [
      'bindery library import https://github.com/google-deepmind/mujoco_menagerie lab/menagerie --watch daily',
      'and every day by the service itself',
    ],
  ],
  async run(
    { source, library: address, certify, engine, thumbnails, yes, watch: every, ...options },
    context,
  ) {
    if (every !== undefined && options.dryRun) throw usageError('--watch and --dry-run exclude each other.');
    const client = await context.signedInClient();
    const { importLibrary, parseSource } = await import('@bindery/sdk/import');
    parseSource(source);
    if (every !== undefined) await requireWatching(client, address);
    const parts = await localOptions(context);
    tuneGcForTransfers();
    const confirmRemovals = async (plan: PushPlan) => {
      reportRemovals(plan, context.output);
      await context.confirm(removalQuestion(plan), { yes, nonInteractive: 'refuse' });
    };
    const result = await withCertifier({ certify, engine }, context.environment, (certifier) =>
      withRenderer(thumbnails, context.output, (drawing) =>
        importLibrary(client, address, source, {
          ...parts,
          ...options,
          ...drawing,
          certifier,
          confirmRemovals,
        }),
      ),
    );
    const watch =
      every === undefined
        ? null
        : await client.call(routes.watches.setWatch, {
            params: libraryParams(address),
            body: { source, every },
          });
    return { ...result, page: pageOf(client, address), url: rawUrl(client, address), watch };
  },
  render(result, output) {
    const { source, sourceRevision, fetched, gone, notImported, status } = result;
    const at = sourceRevision === null ? '' : ` at ${sourceRevision.slice(0, 12)}`;
    output.note(`${sanitizeLine(source)}${at}: ${formatFiles(fetched)} fetched.`);
    const left = notImported.map(({ path, reason }) => `${path} (${reason})`);
    warnOfPaths(
      `${formatCount(left.length, 'file or folder was', 'files or folders were')} not imported`,
      left,
      output,
    );
    if (gone.length > 0)
      warnOfPaths(
        `${formatCount(gone.length, 'asset is', 'assets are')} no longer in the source and ${status === 'planned' ? 'would stay' : 'stay'} in the library; --prune removes them`,
        gone,
        output,
      );
    reportPush(result, output);
    if (result.watch !== null) reportWatch(result.watch, output);
  },
});
