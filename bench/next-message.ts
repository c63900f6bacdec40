import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Returns the next message from a forked process. Throws if it exits without one. */
export async function nextMessage<Answer>(child: ChildProcess): Promise<Answer> {
  const ended = new AbortController();
  const leave = () => ended.abort(new Error('The process ended.'));
  child.once('exit', leave);
  try {
    const [answer] = (await once(child, 'message', { signal: ended.signal })) as [Answer];
    return answer;
  } finally {
    child.off('exit', leave);
  }
}
