import { readFile, writeFile } from 'node:fs/promises';
import pino from 'pino';
import { NO_METRICS } from '../../src/metrics.ts';
import { startService, type TestService, type TestServiceOptions } from '../service.ts';

/** A service together with what it says of damage. */
export interface WatchedService {
  service: TestService;
  /** Warnings and errors of its log. */
  logged: { level: number; msg: string }[];
  /** What its metrics count, as `found file` or `repaired index`. */
  counted: string[];
  /** Forgets what was said so far. */
  forget(): void;
}

export async function startWatchedService(options: TestServiceOptions): Promise<WatchedService> {
  const logged: WatchedService['logged'] = [];
  const counted: string[] = [];
  const service = await startService({
    ...options,
    log: pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line)) }),
    metrics: {
      ...NO_METRICS,
      damageFound: (what) => counted.push(`found ${what}`),
      damageRepaired: (what) => counted.push(`repaired ${what}`),
    },
  });
  const forget = () => {
    logged.length = 0;
    counted.length = 0;
  };
  return { service, logged, counted, forget };
}

/** Changes one bit of a stored file. */
export async function flipBit(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  await writeFile(file, bytes);
}
