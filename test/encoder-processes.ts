import { readFile } from 'node:fs/promises';

/** Kills the encoder processes that this process has started. */
export async function killEncoders(): Promise<void> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  for (const id of children.split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    if (/model-entry\./.test(command)) process.kill(Number(id), 'SIGKILL');
  }
}
