import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import type { FromProcess, ToProcess } from './process-messages.ts';
import { ProcessEnded, WorkerFailure } from './worker-failure.ts';

export interface TaskProcessOptions {
  /** The module that the process runs; it calls `serveTasks`. */
  entry: URL;
  /** What the module is started with. */
  settings?: unknown;
  execArgv?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Whether it may write to this program's standard error. */
  stderr?: 'inherit' | 'ignore';
  /** How long a task may take, in milliseconds from its start or, where it says that it is ready, from there. */
  timeout: number;
  /** How long a task may take until it is ready, where it says so; as long as `timeout` without one. */
  loadTimeout?: number;
}

export interface ProcessTask {
  value: unknown;
  /** Answers what the task asks. */
  answer?: ((question: never) => Promise<unknown>) | undefined;
  onReady?: (() => void) | undefined;
}

interface Running extends ProcessTask {
  number: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** One process and the task that it is at. After a failure that is not the task's own it is not used again. */
export class TaskProcess {
  isAlive = true;
  readonly #options: TaskProcessOptions;
  readonly #child: ChildProcess;
  readonly #gone = Promise.withResolvers<void>();
  #running: Running | null = null;
  #tasks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TaskProcessOptions) {
    this.#options = options;
    this.#child = fork(options.entry, forkOptions(options));
    this.#child.on('message', (message: FromProcess) => this.#hear(message));
    this.#child.on('error', (error) => void this.end(new ProcessEnded(null, { cause: error })));
    this.#child.on('exit', (_code, signal) => {
      this.#gone.resolve();
      void this.end(new ProcessEnded(signal));
    });
    this.#tell({ type: 'start', settings: options.settings });
    this.#letProgramEnd();
  }

  /** Throws `WorkerFailure` (`time`), `ProcessEnded`, what `end` was given, or what the task threw. */
  async run(task: ProcessTask): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const number = this.#tasks++;
    this.#running = { ...task, number, resolve, reject };
    this.#child.ref();
    this.#child.channel?.ref();
    this.#watch(this.#options.loadTimeout ?? this.#options.timeout);
    this.#tell({ type: 'task', task: number, value: task.value });
    try {
      return await promise;
    } finally {
      clearTimeout(this.#timer);
      this.#running = null;
      // One that ends keeps this program alive until it has ended.
      if (this.isAlive) this.#letProgramEnd();
    }
  }

  /** Ends the process and fails what it is at; answers when it is gone. */
  async end(failure: Error): Promise<void> {
    if (this.isAlive) {
      this.isAlive = false;
      this.#running?.reject(failure);
      if (this.#child.pid === undefined) this.#gone.resolve();
      // Else this program would end before it has heard of the other's end.
      else if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.ref();
      this.#child.kill('SIGKILL');
    }
    await this.#gone.promise;
  }

  #hear(message: FromProcess): void {
    const running = this.#running;
    // What a task says after its end is nobody's.
    if (running === null || message.task !== running.number) return;
    switch (message.type) {
      case 'ready':
        this.#watch(this.#options.timeout);
        running.onReady?.();
        break;
      case 'question':
        void this.#answer(running, message);
        break;
      case 'done':
        running.resolve(message.value);
        break;
      case 'failed':
        running.reject(new Error(message.message));
        break;
    }
  }

  async #answer(
    { number, answer }: Running,
    asked: Extract<FromProcess, { type: 'question' }>,
  ): Promise<void> {
    const { question, value } = asked;
    try {
      const answered = await answer?.(value as never);
      this.#tell({ type: 'answer', task: number, question, value: answered });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#tell({ type: 'no answer', task: number, question, message });
    }
  }

  #watch(timeout: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(new WorkerFailure('time')), timeout);
  }

  #tell(message: ToProcess): void {
    // A process that is gone says so by its 'exit'.
    if (this.isAlive && this.#child.connected) this.#child.send(message, () => {});
  }

  #letProgramEnd(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function forkOptions({
  execArgv = [],
  env = process.env,
  stderr = 'ignore',
}: TaskProcessOptions): ForkOptions {
  return {
    execArgv: [...execArgv],
    env,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
  };
}
