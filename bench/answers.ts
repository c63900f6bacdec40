import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningService } from '../e2e/bindery.ts';
import { processorMeter } from './processes.ts';
import { serve, withService } from './world.ts';

/** Milliseconds: for one answer, for all answers of a measurement, and until nothing runs in the service. */
export const WAITS = { answer: 60_000, all: 90_000, idle: 600_000 };

export type Service = Pick<RunningService, 'url'> & { pid: number; token: string };

/** An answer, its milliseconds, and those of the service's processors, also after the caller had left. */
export interface Answer extends Record<'processor' | 'wall', number> {
  end: 'whole' | 'partial' | 'late' | 'refused';
  body: { partial?: unknown; hits?: { library: string }[]; pageInfo?: PageInfo };
}

interface PageInfo {
  endCursor: string | null;
  hasNextPage: boolean;
}

/** A search engine to search with, which is fed before anything is asked. */
export const { BINDERY_SEARCH } = process.env;

/** Starts the service in a separate process, without an encoder, for as long as it is used. */
export function served<Result>(dataDir: string, token: string, use: (service: Service) => Promise<Result>) {
  return withService(dataDir, { BINDERY_ENCODER: 'off' }, (service) => use({ ...service, token }), serveFed);
}

/** Starts the service with the search engine, if there is one, and waits until that has everything. */
export async function serveFed(
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<RunningService> {
  if (BINDERY_SEARCH === undefined) return serve(dataDir, settings);
  const service = await serve(dataDir, { ...settings, BINDERY_SEARCH });
  await untilFed(dataDir);
  return service;
}

/** Waits until the search engine has everything. */
async function untilFed(dataDir: string): Promise<void> {
  using database = new DatabaseSync(join(dataDir, 'bindery.db'), { readOnly: true });
  const left = database.prepare(
    'select (select count(*) from search_changes) + (select count(*) = 0 from searched_libraries) as left',
  );
  while (left.get()?.left !== 0) await delay(500);
}

/** Waits until the service has had use for less than a tenth of a processor for half a second. */
export async function untilIdle({ pid }: Service): Promise<void> {
  const deadline = performance.now() + WAITS.idle;
  for (let used = Number.POSITIVE_INFINITY; used > 50 && performance.now() < deadline; ) {
    const meter = processorMeter(pid, { wanted: true });
    await delay(500);
    used = meter();
  }
}

/** Asks, and if the answer is late, leaves and waits until the service has stopped working on it. */
export async function ask(service: Service, path: string): Promise<Answer> {
  const used = processorMeter(service.pid);
  const headers = { authorization: `Bearer ${service.token}` };
  const begin = performance.now();
  try {
    const signal = AbortSignal.timeout(WAITS.answer);
    const response = await fetch(`${service.url}${path}`, { headers, signal });
    const body = (await response.json()) as Answer['body'];
    const end = response.ok ? (body.partial ? 'partial' : 'whole') : 'refused';
    return { wall: performance.now() - begin, processor: used(), end, body };
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
    await untilIdle(service);
    return { wall: WAITS.answer, processor: used(), end: 'late', body: {} };
  }
}

/** Asks one after another, several times, and at least once, until the time is over. */
export async function askAll(service: Service, paths: readonly string[], rounds: number): Promise<Answer[]> {
  const deadline = performance.now() + WAITS.all;
  const answers: Answer[] = [];
  for (const path of Array.from({ length: rounds }, () => paths).flat()) {
    if (answers.length > 0 && performance.now() > deadline) break;
    answers.push(await ask(service, path));
  }
  return answers;
}
