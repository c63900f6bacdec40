import { type ChildProcess, fork } from 'node:child_process';
import { nextMessage } from './next-message.ts';
import { CONTENDERS } from './search/contenders.ts';
import { generateQueries } from './search-corpus.ts';

const ASSETS = 50_000;
const QUERIES = 200;
const ROUNDS = 2;

/** Milliseconds per query. */
export interface SearchTimes {
  name: string;
  p50: number;
  p99: number;
}

/**
 * Searches one library of 50,000 assets by keyword with Bindery, MiniSearch and SQLite FTS5, one query at a time, each
 * query with all of them in turn. Each runs in a separate process, so that none pays for another's garbage collection.
 * Bindery is first in the result.
 */
export async function benchSearch(): Promise<SearchTimes[]> {
  const contenders: Contender[] = [];
  try {
    for (const name of Object.keys(CONTENDERS)) contenders.push(await start(name));
    const queries = generateQueries(QUERIES);
    for (let round = -1; round < ROUNDS; round++) {
      for (const query of queries) {
        for (const { child, times } of contenders) {
          const elapsed = await ask(child, query);
          // The first round is a warm-up.
          if (round >= 0) times.push(elapsed);
        }
      }
    }
    return contenders.map(({ name, times }) => summarise(name, times));
  } finally {
    for (const { child } of contenders) child.disconnect();
  }
}

interface Contender {
  name: string;
  child: ChildProcess;
  times: number[];
}

async function start(name: string): Promise<Contender> {
  const child = fork(new URL('./search/contender-process.ts', import.meta.url), [name, String(ASSETS)]);
  await nextMessage(child);
  return { name, child, times: [] };
}

async function ask(child: ChildProcess, query: string): Promise<number> {
  child.send(query);
  return nextMessage<number>(child);
}

function summarise(name: string, times: number[]): SearchTimes {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (quantile: number) => sorted[Math.floor(quantile * (sorted.length - 1))] as number;
  return { name, p50: at(0.5), p99: at(0.99) };
}

if (import.meta.main) {
  for (const { name, p50, p99 } of await benchSearch()) {
    console.log(`${name.padEnd(12)} p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`);
  }
}
