import { bindery } from '../e2e/bindery.ts';
import { withFolder } from './processes.ts';
import { type BenchmarkRow, limitRow, median, repeated, timed } from './results.ts';
import { serve } from './world.ts';

const TIMES = 7;

/** Milliseconds from the start of the process until the service is ready, and until the version is printed: medians. */
export function benchStart(): Promise<BenchmarkRow[]> {
  return withFolder(async (dataDir) => {
    const untilReady = async () => {
      const start = performance.now();
      const service = await serve(dataDir);
      const elapsed = performance.now() - start;
      await service.end();
      return elapsed;
    };
    await untilReady();
    const ready = median(await repeated(TIMES, untilReady));
    const untilVersion = () => timed(() => bindery(['--version']));
    const version = median(await repeated(TIMES, untilVersion));
    return [
      limitRow('`bindery serve` to ready on an existing database', ready, 1_000, 'ms'),
      limitRow('`bindery --version`', version, 150, 'ms'),
    ];
  });
}
