import { parentPort } from 'node:worker_threads';

export interface ThreadTask {
  nth: number;
  task: unknown;
}

export interface ThreadAnswer {
  /** The number of the task that is answered. */
  nth: number;
  answer: unknown;
}

/** Answers each task in a thread that `TaskThread` started. If `work` throws, the thread terminates. */
export function answerTasks<Task, Answer>(work: (task: Task) => Answer): void {
  parentPort?.on('message', ({ nth, task }: ThreadTask) => {
    const answer: ThreadAnswer = { nth, answer: work(task as Task) };
    parentPort?.postMessage(answer);
  });
}
