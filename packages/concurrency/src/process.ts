import type { FromProcess, ToProcess } from './process-messages.ts';

export { killOnMemoryLimitOrOrphaned } from './process-watchdog.ts';

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
