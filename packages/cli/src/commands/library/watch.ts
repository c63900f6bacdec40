import type { Watch } from '@bindery/contract';
import { NAMESPACE_SLUG, routes, WATCH_SCHEDULES } from '@bindery/contract/wire';
import { type Client, type LibraryAddress, libraryParams } from '@bindery/sdk';
import { argument, defineCommand, flag, oneOf, option, type Parse } from '../../command.ts';
import { CommandError, usageError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { nameParser } from '../../parsers.ts';
import { libraryAddress } from './inputs.ts';
import { warnOfPaths } from './report.ts';

/** How often the service imports a source. */
export const schedule = oneOf(...WATCH_SCHEDULES);

const namespaceSlug = nameParser(NAMESPACE_SLUG);
const namespaceOrLibrary: Parse<{ namespace: string; library: LibraryAddress | null }> = (value) => {
  const library = value.includes('/') ? libraryAddress(value) : null;
  return { namespace: library?.namespace ?? namespaceSlug(value), library };
};

export const watchCommand = defineCommand({
  name: 'watch',
  summary: 'Show, change and stop what the service imports again and again',
  description:
    'A watch begins with "bindery import <source> <ns/name> --watch <schedule>". From then on the service imports the source ' +
    'by itself, as whoever began it, and for as long as they may publish to the library. What the source no longer has stays, ' +
    'and a history that was rewritten is not followed; both are told here. A failed import is tried again, later each time.',
  inputs: {
    of: argument(
      '<ns[/name]>',
      'the library, or the namespace to list all of its watches',
      namespaceOrLibrary,
    ),
    every: option('<schedule>', `how often from now on, and now: ${WATCH_SCHEDULES.join(', ')}`, schedule),
    stop: flag('stop watching; the library stays as it is'),
  },
  examples: [
    ['bindery library watch lab', 'what is watched in a namespace'],
    ['bindery library watch lab/menagerie --every daily', 'import now, and every day'],
    ['bindery library watch lab/menagerie --stop', 'no longer'],
  ],
  async run({ of: { namespace, library }, every, stop }, context) {
    const client = await context.signedInClient();
    const list = () => client.call(routes.watches.listWatches, { params: { namespace } });
    if (library === null) {
      if (every !== undefined || stop) throw usageError('Name the library whose watch is to change.');
      return list();
    }
    const { hosts, watches } = await list();
    const watch = watches.find((one) => one.library === library.name);
    if (watch === undefined)
      throw new CommandError(EXIT.notFound, 'not_found', `${namespace}/${library.name} is not watched.`);
    const params = libraryParams(library);
    if (stop) {
      await client.call(routes.watches.removeWatch, { params });
      return { hosts, watches: [], stopped: watch };
    }
    if (every === undefined) return { hosts, watches: [watch] };
    const body = { source: watch.source, every };
    return { hosts, watches: [await client.call(routes.watches.setWatch, { params, body })] };
  },
  render(result, output) {
    const { hosts, watches } = result;
    if ('stopped' in result) return output.line(`No longer watched: ${sanitizeLine(result.stopped.source)}.`);
    if (watches.length === 0)
      return output.line(
        hosts.length === 0 ? NOT_WATCHING : `Nothing is watched. Sources can be at ${hosts.join(', ')}.`,
      );
    for (const watch of watches) reportWatch(watch, output);
  },
});

const NOT_WATCHING = 'This service watches no sources: its operator has not set BINDERY_IMPORT_HOSTS.';

/** Throws `CommandError` where a service watches nothing, before anything is imported. */
export async function requireWatching(client: Client, { namespace }: LibraryAddress): Promise<void> {
  const { hosts } = await client.call(routes.watches.listWatches, { params: { namespace } });
  if (hosts.length === 0) throw new CommandError(EXIT.permission, 'forbidden', NOT_WATCHING);
}

export function reportWatch(watch: Watch, output: Output): void {
  const { library, source, every, setBy, state, problem, nextRunAt, lastResult } = watch;
  output.line(
    `${library}: ${sanitizeLine(source)}, ${every}, as ${setBy}; ${state}${nextRunAt === null ? '' : `, next ${nextRunAt}`}`,
  );
  if (problem !== null) output.warn(`${library}: ${sanitizeLine(problem)}`);
  if (lastResult === null) return;
  const { at, revision, assets, gone, leftOut } = lastResult;
  const changed =
    revision === null
      ? 'nothing had changed'
      : `${formatCount(assets.added, 'asset')} added and ${assets.changed} changed in revision ${revision}`;
  const left = leftOut === 0 ? '' : `, ${formatCount(leftOut, 'file')} left out`;
  output.note(`${library}: imported ${at}, ${changed}${left}.`);
  if (gone.count > 0)
    warnOfPaths(
      `${formatCount(gone.count, 'asset is', 'assets are')} no longer in the source and stay in ${library}`,
      gone.ids,
      output,
    );
}
