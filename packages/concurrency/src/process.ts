import { Worker } from 'node:worker_threads';

/** The pool, as a task in one of its processes sees it. */
export interface TaskContext {
  /** Reports that everything the task needs is loaded; from here on, the time limit of the task itself applies. */
  ready(): void;
  /** Asks the code that submitted the task. Throws if it has no answer. */
  ask(question: unknown): Promise<unknown>;
}

type Work<Task> = (task: Task, caller: TaskContext) => Promise<unknown>;

/** Makes this process one of a `ProcessPool`: it runs one task at a time, and exits with the pool's process. */
export function serveProcessTasks<Settings, Task>(start: (settings: Settings) => Work<Task>): void {
  let work: Work<Task> | undefined;
  let questions = new PendingQuestions(-1);

  async function perform(task: number, value: Task): Promise<void> {
    questions = new PendingQuestions(task);
    const { ask } = questions;
    try {
      if (work === undefined) throw new Error('a task came before the settings');
      sendToPool({
        type: 'done',
        task,
        value: await work(value, { ready: () => sendToPool({ type: 'ready', task }), ask }),
      });
    } catch (error) {
      sendToPool({ type: 'failed', task, message: (error as Error).stack ?? String(error) });
    }
  }

  // Ctrl-C reaches every process of a terminal; this one exits when its parent does.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', (message: ToProcess) => {
    if (message.type === 'start') work = start(message.settings as Settings);
    else if (message.type === 'task') void perform(message.task, message.value as Task);
    else questions.settle(message);
  });
}

/** The questions of one task. */
class PendingQuestions {
  readonly #task: number;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;

  constructor(task: number) {
    this.#task = task;
  }

  ask = (value: unknown): Promise<unknown> => {
    const question = this.#asked++;
    const answer = Promise.withResolvers<unknown>();
    this.#open.set(question, answer);
    sendToPool({ type: 'question', task: this.#task, question, value });
    return answer.promise;
  };

  /** Answers that arrive after the task has ended are ignored. */
  settle(message: Extract<ToProcess, { question: number }>): void {
    if (message.task !== this.#task) return;
    const answer = this.#open.get(message.question);
    this.#open.delete(message.question);
    if (message.type === 'answer') answer?.resolve(message.value);
    else answer?.reject(new Error(message.message));
  }
}

function sendToPool(message: FromProcess): void {
  process.send?.(message);
}

const WATCHDOG_SOURCE = `
  const { ppid } = process;
  const { workerData: maxBytes } = require('node:worker_threads');
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;

/**
 * Kills this process when it exceeds its memory limit (bytes) or its parent has exited. Checks this on a thread, since
 * native code and long loops block the main one.
 */
export function killOnMemoryLimitOrOrphaned(maxBytes: number): void {
  new Worker(WATCHDOG_SOURCE, { eval: true, workerData: maxBytes }).unref();
}

/*
 * The messages between a pool and its processes. Each message names its task and each answer its question, so that none
 * can settle another's.
 */

export type ToProcess =
  /** Sent once, as the first message. */
  | { type: 'start'; settings: unknown }
  | { type: 'task'; task: number; value: unknown }
  | { type: 'answer'; task: number; question: number; value: unknown }
  | { type: 'no answer'; task: number; question: number; message: string };

export type FromProcess =
  /** Everything that the task needs is loaded: from here on, the time limit of the task itself applies. */
  | { type: 'ready'; task: number }
  | { type: 'question'; task: number; question: number; value: unknown }
  | { type: 'done'; task: number; value: unknown }
  | { type: 'failed'; task: number; message: string };
