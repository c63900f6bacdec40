import { parentPort } from 'node:worker_threads';

export interface ThreadTask {
  taskId: number;
  task: unknown;
}

export interface ThreadAnswer {
  /** The number of the task that is answered. */
  taskId: number;
  answer: unknown;
}

/** Answers each task in a thread that `TaskThread` started. If `work` throws, the thread terminates. */
export function serveThreadTasks<Task, Answer>(work: (task: Task) => Answer): void {
  parentPort?.on('message', ({ taskId, task }: ThreadTask) => {
    const answer: ThreadAnswer = { taskId, answer: work(task as Task) };
    parentPort?.postMessage(answer);
  });
}
