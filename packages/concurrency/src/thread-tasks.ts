import { parentPort } from 'node:worker_threads';

export interface ThreadTask {
  nth: number;
  task: unknown;
}

export interface ThreadAnswer {
  /** Of the task that is answered. */
  nth: number;
  answer: unknown;
}

/** What a thread that `TaskThread` has started does with each task. A throw ends the thread. */
export function answerTasks<Task, Answer>(work: (task: Task) => Answer): void {
  parentPort?.on('message', ({ nth, task }: ThreadTask) => {
    const answer: ThreadAnswer = { nth, answer: work(task as Task) };
    parentPort?.postMessage(answer);
  });
}
