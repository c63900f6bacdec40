import { startService } from '../../src/boot/main.ts';
import { readConfiguration } from '../../src/configuration/configuration.ts';

/*
 * A program: the service of its environment, which measures its event loop and is controlled by its parent.
 */

/** `stall` blocks the event loop for 80 ms, for whoever wants to see that this is noticed. */
export type ServiceCommand = 'begin' | 'end' | 'stall' | 'stop';

/** Milliseconds between two readings of the clock. */
const INTERVAL = 1;

let timer: NodeJS.Timeout | undefined;
/** The most processor time that the thread took between two readings, in milliseconds. */
let longest = 0;

const service = await startService(readConfiguration(process.env));
const answer = (value: unknown) => process.send?.({ value });
answer(service.url);
process.on('message', async (order: ServiceCommand) => {
  if (order === 'begin') answer(begin());
  if (order === 'end') answer(await end());
  if (order === 'stall') answer(stall(80));
  if (order !== 'stop') return;
  await service.close();
  process.disconnect?.();
});

function begin(): null {
  longest = 0;
  let last = process.threadCpuUsage();
  timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, INTERVAL);
  return null;
}

async function end(): Promise<number> {
  // One more reading, for the last turn.
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  return longest;
}

function stall(milliseconds: number): null {
  const before = process.threadCpuUsage();
  for (let used = 0; used < milliseconds * 1_000; ) used = process.threadCpuUsage(before).user;
  return null;
}
