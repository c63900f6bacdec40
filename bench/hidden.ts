import { randomInt } from 'node:crypto';
import { createMember } from '@bindery/server/testing';
import { Client as Connection } from 'undici';
import { Actor } from '../packages/server/test/actor.ts';
import { publish } from '../packages/server/test/libraries/publish.ts';
import { withFolder } from './processes.ts';
import { type BenchmarkRow, median, quantile, scaled } from './results.ts';
import { withService } from './world.ts';

const ROUNDS = 3_000;
const WARM_UP = 500;
/** The requests that an attacker is assumed to send for each of two names. */
const PROBES = 25;
/** The share of correct guesses due to chance and noise with this many samples. */
const MAX_RIGHT = 0.6;

/** The address of a hidden resource, and of a missing one of the same kind. */
interface Pair {
  kind: string;
  method: 'GET' | 'DELETE';
  hidden: string;
  missing: string;
}

/** Whether response times reveal hidden resources, compared with missing ones, to a stranger who is signed in. */
export function benchHidden(): Promise<BenchmarkRow[]> {
  return withFolder(async (folder) => {
    const owner = await createMember(folder, 'owner');
    const stranger = await createMember(folder, 'stranger');
    return withService(folder, { BINDERY_ENCODER: 'off' }, async ({ url }) => {
      const rows: BenchmarkRow[] = [];
      for (const pair of await publishPairs(new Actor(url, { authorization: `Bearer ${owner}` }))) {
        await sample(url, stranger, pair, scaled(WARM_UP));
        const samples = await sample(url, stranger, pair, scaled(ROUNDS));
        const [hidden, missing] = [median(samples.hidden), median(samples.missing)];
        const right = guessAccuracy(samples);
        rows.push({
          work: `time of a hidden ${pair.kind}`,
          bindery: `${hidden.toFixed(0)} µs`,
          peer: `missing ${missing.toFixed(0)} µs`,
          ratio: `${(hidden - missing).toFixed(1)} µs; ${Math.round(right * 100)} % right with ${PROBES} probes`,
          target: `${MAX_RIGHT * 100} % right`,
          met: right <= MAX_RIGHT,
        });
      }
      return rows;
    });
  });
}

/**
 * Fills one namespace that is invisible to others, and one in which they see a single public library; returns the
 * requests that a stranger can make for both. Hidden and missing names have the same length.
 */
async function publishPairs(owner: Actor): Promise<Pair[]> {
  for (const slug of ['secret', 'public']) await owner.post('/namespaces', { slug });
  const written = { assets: [{ id: 'mug', files: { 'mug/mug.txt': 'a mug' } }] };
  for (let index = 0; index < 40; index++) await publish(owner, `secret/library-${index}`, written);
  await publish(owner, 'public/shown', { ...written, visibility: 'public' });
  await publish(owner, 'public/library', written);
  for (let index = 0; index < 100; index++)
    await owner.post('/namespaces/secret/projects', { displayName: `project ${index}` });
  await owner.post('/namespaces/public/projects', { displayName: 'hidden', slug: 'hidden' });
  for (let index = 0; index < 300; index++)
    await owner.post('/namespaces/secret/notes', { name: `note ${index}`, projects: ['project-1'] });
  const hiddenNote = { name: 'hidden', projects: ['hidden'] };
  const { id } = (await owner.post<{ id: string }>('/namespaces/public/notes', hiddenNote)).body;
  const noSuchId = id.replaceAll(/[0-9a-f]/g, (digit) => (digit === '7' ? '3' : '7'));

  const pair = (kind: string, path: string, hidden: string, missing: string): Pair => ({
    ...{ kind, method: 'GET', hidden: path.replace('*', hidden), missing: path.replace('*', missing) },
  });
  const namespace = (kind: string, path: string) => pair(kind, path, 'secret', 'absent');
  const library = (kind: string, path: string) => pair(kind, path, 'library', 'nothing');
  return [
    namespace('namespace', '/namespaces/*'),
    namespace('libraries of a namespace', '/namespaces/*/libraries'),
    namespace('projects of a namespace', '/namespaces/*/projects'),
    library('library', '/namespaces/public/libraries/*'),
    namespace('library of a hidden namespace', '/namespaces/*/libraries/library-1'),
    library('library, searched', '/namespaces/public/libraries/*/search?q=mug'),
    library('library, searched among others', '/library-search?q=mug&libraries=public/*'),
    { ...library('library, to be removed', '/namespaces/public/libraries/*'), method: 'DELETE' },
    pair('project', '/namespaces/public/projects/*', 'hidden', 'absent'),
    namespace('project of a hidden namespace', '/namespaces/*/projects/project-1'),
    pair('Note', '/namespaces/public/notes/*', id, noSuchId),
  ];
}

/** Response times in microseconds. */
type Samples = Record<'hidden' | 'missing', number[]>;

/** Requests both in random order, one request at a time over one connection. */
async function sample(
  url: string,
  token: string,
  { method, ...paths }: Pair,
  rounds: number,
): Promise<Samples> {
  const connection = new Connection(url);
  const headers = { authorization: `Bearer ${token}` };
  const samples: Samples = { hidden: [], missing: [] };
  for (let round = 0; round < rounds; round++) {
    const names = ['hidden', 'missing'] as const;
    for (const name of randomInt(2) === 0 ? names : names.toReversed()) {
      const start = performance.now();
      const response = await connection.request({ method, path: paths[name], headers });
      await response.body.dump();
      samples[name].push((performance.now() - start) * 1_000);
    }
  }
  await connection.close();
  return samples;
}

/**
 * How often a guess is right after some probes for each of two names, if the name with the greater, or the smaller,
 * time is taken for the hidden one: 0.5 is chance, 1 is certainty. Compares medians, and first deciles, which are less
 * noisy; the better guess counts. Estimated by resampling.
 */
function guessAccuracy({ hidden, missing }: Samples): number {
  const trials = 4_000;
  const draw = (values: readonly number[]) =>
    Array.from({ length: PROBES }, () => values[randomInt(values.length)] ?? 0);
  const guesses = [0.1, 0.5].map((share) => {
    let greater = 0;
    for (let trial = 0; trial < trials; trial++)
      if (quantile(draw(hidden), share) > quantile(draw(missing), share)) greater++;
    return Math.max(greater, trials - greater) / trials;
  });
  return Math.max(...guesses);
}
