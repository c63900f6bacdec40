import { openSync, readSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startService } from '../boot/main.ts';
import { readConfiguration } from '../configuration/configuration.ts';
import { deleteAbandonedUploads } from '../objects/uploads.ts';
import { administer } from '../operations/operations.ts';

/*
 * A program: the service of its environment, which measures its event loop and is controlled by its parent.
 */

/** Milliseconds between two readings of the clock. */
const INTERVAL = 1;

/** How the event loop was blocked during a piece of work, in milliseconds. */
export interface Hold {
  /** The longest gap between two iterations, without the time spent waiting for a CPU. */
  longest: number;
  /** How much of that gap was garbage collection. */
  collecting: number;
  /** The most processor time that the thread took between two iterations: other programs do not add to it. */
  processor: number;
  /** CPU time of the thread in total. */
  busy: number;
}

/** `stall` blocks the event loop for 80 ms, for whoever wants to see that this is noticed. */
export type ServiceCommand = 'begin' | 'end' | 'stall' | 'remove-abandoned' | 'stop';

const configuration = readConfiguration(process.env);
const meter = eventLoopMeter();
const service = await startService(configuration);
const answer = (value: unknown) => process.send?.({ value });
answer(service.url);
// There are no files to delete.
const objects = { deleteAbandoned: async () => ({ objects: 0, bytes: 0 }) } as never;
process.on('message', async (order: ServiceCommand) => {
  if (order === 'begin') answer(meter.begin() ?? null);
  if (order === 'end') answer(await meter.end());
  if (order === 'stall') answer(stall(80));
  if (order === 'remove-abandoned')
    answer(await administer(configuration, (context) => deleteAbandonedUploads({ ...context, objects })));
  if (order !== 'stop') return;
  await service.close();
  process.disconnect?.();
});

function stall(milliseconds: number): void {
  const before = process.threadCpuUsage();
  for (let used = 0; used < milliseconds * 1_000; ) used = process.threadCpuUsage(before).user;
}

/**
 * Measures how long the event loop of this process is blocked: a timer reads the clock every millisecond. Linux reports
 * how much of a gap the thread spent waiting for a CPU.
 */
function eventLoopMeter() {
  const statistics = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const line = Buffer.alloc(80);
  /** Milliseconds that this thread has waited for a CPU since it started. */
  const waitedUntilNow = () => {
    const length = readSync(statistics, line, 0, line.length, 0);
    return Number(line.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  };
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  let timer: NodeJS.Timeout | undefined;
  let gap = { longest: -1, start: 0, end: 0 };
  let processor = 0;
  let usage = process.threadCpuUsage();
  return {
    begin() {
      collections.length = 0;
      observer.observe({ entryTypes: ['gc'] });
      gap = { longest: -1, start: 0, end: 0 };
      processor = 0;
      usage = process.threadCpuUsage();
      let [last, waited, used] = [performance.now(), waitedUntilNow(), usage];
      timer = setInterval(() => {
        const { user, system } = process.threadCpuUsage(used);
        processor = Math.max(processor, (user + system) / 1_000);
        used = process.threadCpuUsage();
        const [now, waitedNow] = [performance.now(), waitedUntilNow()];
        const longest = Math.max(0, now - last - INTERVAL - (waitedNow - waited));
        if (longest > gap.longest) gap = { longest, start: last, end: now };
        [last, waited] = [now, waitedNow];
      }, INTERVAL);
    },
    async end(): Promise<Hold> {
      const { user, system } = process.threadCpuUsage(usage);
      // One more iteration, to record the last gap and to notify the observer.
      await delay(5);
      clearInterval(timer);
      observer.disconnect();
      const collecting = collections.reduce((sum, { startTime, duration }) => {
        const shared = Math.min(gap.end, startTime + duration) - Math.max(gap.start, startTime);
        return sum + Math.max(0, shared);
      }, 0);
      return { longest: Math.max(0, gap.longest), collecting, processor, busy: (user + system) / 1_000 };
    },
  };
}
