import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EncoderBusy, EncoderError } from '../errors.ts';
import type { EncoderTask, FromWorker, ToWorker, WorkerSettings } from './messages.ts';

export interface WorkerLimits {
  /** Milliseconds for one task once the model is loaded. */
  timeLimit: number;
  /** Milliseconds for loading the model. */
  loadTimeLimit: number;
  /** How many tasks may wait. */
  queueLength: number;
}

/** What JavaScript may take of memory. A vocabulary of 256,000 tokens takes about half; the model lies outside. */
const HEAP_MIB = 1_024;

const ENTRY = fileURLToPath(new URL('./worker.ts', import.meta.url));

interface Waiting {
  task: EncoderTask;
  resolve(rows: Float32Array): void;
  reject(error: EncoderError): void;
}

/**
 * A process that runs a model, one task after another. Not a thread: native code cannot be interrupted there, and a
 * thread that is ended inside it takes the whole program down. A task that takes too long fails, its process is
 * killed, and the next task starts another.
 */
export class WorkerProcess {
  readonly #settings: WorkerSettings;
  readonly #limits: WorkerLimits;
  readonly #queue: Waiting[] = [];
  #child: ChildProcess | null = null;
  #running: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: WorkerSettings, limits: WorkerLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  async run(task: EncoderTask, signal?: AbortSignal): Promise<Float32Array> {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw givenUp();
    if (this.#queue.length >= this.#limits.queueLength) throw new EncoderBusy();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const waiting: Waiting = { task, resolve, reject };
    const giveUp = () => {
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      reject(givenUp());
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#queue.push(waiting);
    this.#next();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#queue.splice(0)) waiting.reject(closed());
    const child = this.#child;
    // An idle one does not keep this process alive, which would end before it has heard of the other's end.
    child?.ref();
    const gone = child && once(child, 'exit');
    this.#kill(closed());
    await gone;
  }

  #next(): void {
    if (this.#running) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) {
      this.#letParentEnd();
      return;
    }
    this.#running = waiting;
    this.#child ??= this.#start();
    this.#child.ref();
    this.#child.channel?.ref();
    this.#watch(this.#limits.loadTimeLimit, 'The model takes too long to load');
    this.#tell({ type: 'run', task: waiting.task });
  }

  #start(): ChildProcess {
    const child = fork(ENTRY, [], {
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (message: FromWorker) => {
      if (this.#child === child) this.#hear(message);
    });
    const lost = (why: string) => {
      if (this.#child === child)
        this.#kill(new EncoderError('failed', `The encoder's process ended: ${why}.`));
    };
    child.on('error', (error) => lost(error.message));
    child.on('exit', (code, signal) => lost(signal ?? `exit code ${code}`));
    child.send({ type: 'start', settings: this.#settings } satisfies ToWorker);
    return child;
  }

  #hear(message: FromWorker): void {
    if (message.type === 'running') {
      this.#watch(this.#limits.timeLimit, 'The model takes too long');
    } else if (message.type === 'done') {
      this.#settle((waiting) => waiting.resolve(message.rows));
    } else {
      const { failure, message: text, index } = message;
      const error = new EncoderError(failure, text, index === null ? {} : { index });
      this.#settle((waiting) => waiting.reject(error));
    }
  }

  #watch(limit: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#kill(new EncoderError('time', `${what}: more than ${limit} ms.`)),
      limit,
    );
  }

  /** Ends the process and what it was at; the next task gets another one. */
  #kill(failure: EncoderError): void {
    const child = this.#child;
    this.#child = null;
    child?.kill('SIGKILL');
    this.#settle((waiting) => waiting.reject(failure));
  }

  #settle(finish: (waiting: Waiting) => void): void {
    clearTimeout(this.#timer);
    const waiting = this.#running;
    this.#running = null;
    if (waiting) finish(waiting);
    this.#next();
  }

  #tell(message: ToWorker): void {
    // A process that is gone says so by its 'exit'.
    this.#child?.send(message, () => {});
  }

  #letParentEnd(): void {
    this.#child?.unref();
    this.#child?.channel?.unref();
  }
}

function closed(): EncoderError {
  return new EncoderError('closed', 'The encoder is closed.');
}

function givenUp(): EncoderError {
  return new EncoderError('closed', 'The caller gave the encoding up.');
}
