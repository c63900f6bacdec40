import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import type { FromProcess, ToProcess } from './process.ts';
import { ProcessExitedError, WorkerFailure } from './worker-failure.ts';

export interface TaskProcessOptions {
  /** The module that the process runs; it calls `serveProcessTasks`. */
  entry: URL;
  /** The settings that the module is started with. */
  settings?: unknown;
  execArgv?: readonly string[];
  /** Beside the neutral variables of this program. */
  env?: NodeJS.ProcessEnv;
  /** Whether it is allowed to write to this program's standard error. */
  stderr?: 'inherit' | 'ignore';
  /** Time limit of a task, in milliseconds from its start; it restarts when the task reports that it is ready. */
  timeout: number;
  /** Time limit of a task until it reports that it is ready (milliseconds); `timeout` if absent. */
  loadTimeout?: number;
}

export interface ProcessTask {
  value: unknown;
  /** Answers a question of the task. */
  answer?: ((question: never) => Promise<unknown>) | undefined;
  onReady?: (() => void) | undefined;
}

interface Running extends ProcessTask {
  number: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** One process and the task that it runs. It is not reused after a failure that is not the task's own. */
export class TaskProcess {
  isAlive = true;
  readonly #options: TaskProcessOptions;
  readonly #child: ChildProcess;
  readonly #exited = Promise.withResolvers<void>();
  #running: Running | null = null;
  #tasks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TaskProcessOptions) {
    this.#options = options;
    this.#child = fork(options.entry, forkOptions(options));
    this.#child.on('message', (message: FromProcess) => this.#handleMessage(message));
    this.#child.on('error', (error) => void this.kill(new ProcessExitedError(null, { cause: error })));
    this.#child.on('exit', (_code, signal) => {
      this.#exited.resolve();
      void this.kill(new ProcessExitedError(signal));
    });
    this.#send({ type: 'start', settings: options.settings });
    this.#unref();
  }

  /** Throws `WorkerFailure` (`time`), `ProcessExitedError`, the error that `kill` was given, or what the task threw. */
  async run(task: ProcessTask): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const number = this.#tasks++;
    this.#running = { ...task, number, resolve, reject };
    this.#child.ref();
    this.#child.channel?.ref();
    this.#startTimer(this.#options.loadTimeout ?? this.#options.timeout);
    this.#send({ type: 'task', task: number, value: task.value });
    try {
      return await promise;
    } finally {
      clearTimeout(this.#timer);
      this.#running = null;
      // A process that is being killed keeps this program alive until it has exited.
      if (this.isAlive) this.#unref();
    }
  }

  /** Kills the process and fails its running task; resolves when the process has exited. */
  async kill(failure: Error): Promise<void> {
    if (this.isAlive) {
      this.isAlive = false;
      this.#running?.reject(failure);
      if (this.#child.pid === undefined) this.#exited.resolve();
      // Otherwise this program could exit before it is notified of the process's exit.
      else if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.ref();
      this.#child.kill('SIGKILL');
    }
    await this.#exited.promise;
  }

  #handleMessage(message: FromProcess): void {
    const running = this.#running;
    // Messages of a task that has already ended are ignored.
    if (running === null || message.task !== running.number) return;
    switch (message.type) {
      case 'ready':
        this.#startTimer(this.#options.timeout);
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
      this.#send({ type: 'answer', task: number, question, value: answered });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#send({ type: 'no answer', task: number, question, message });
    }
  }

  #startTimer(timeout: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.kill(new WorkerFailure('time')), timeout);
  }

  #send(message: ToProcess): void {
    // If the process has exited, its 'exit' event reports that.
    if (this.isAlive && this.#child.connected) this.#child.send(message, () => {});
  }

  #unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function forkOptions({ execArgv = [], env, stderr = 'ignore' }: TaskProcessOptions): ForkOptions {
  return {
    execArgv: [...execArgv],
    env: { ...neutralEnvironment(), ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
  };
}

/** Where programs and files are, which language is spoken, how Node and native libraries are set up: nothing secret. */
const PASSED = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|HOME|USERPROFILE|USER|LOGNAME|SHELL|ComSpec|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_\\w+',
    'SystemRoot|SystemDrive|windir|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles',
    'NODE_(?:OPTIONS|PATH|ENV|COMPILE_CACHE|DISABLE_COMPILE_CACHE|V8_COVERAGE|NO_WARNINGS|EXTRA_CA_CERTS)',
    'UV_THREADPOOL_SIZE|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_\\w+|MALLOC_\\w+|OMP_\\w+|VIPS_\\w+',
  ].join('|')})$`,
  'i',
);

/** The variables for a program that works on the contents of others: it gets no token and no password of this one. */
export function neutralEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
}
