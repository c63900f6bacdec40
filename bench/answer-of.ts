import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What a forked process sends next. Throws where it ends without. */
export async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
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
