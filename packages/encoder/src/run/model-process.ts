import { ProcessExitedError, ProcessPool, WorkerFailure } from '@bindery/concurrency';
import { EncoderBusy, EncoderError } from '../errors.ts';
import type { EncoderOutcome, EncoderTask, ModelSettings } from './messages.ts';

interface ModelProcessLimits {
  /** Milliseconds for one task once the model is loaded. */
  timeLimit: number;
  /** Milliseconds for loading the model. */
  loadTimeLimit: number;
  /** Maximum number of waiting tasks. */
  queueLength: number;
}

/** JavaScript heap limit of the process. A vocabulary of 256,000 tokens takes about half; the model is off the heap. */
const HEAP_MIB = 1_024;

/** A process that runs a model, one task at a time. If it dies, the next task starts a new one. */
export class ModelProcess {
  readonly #pool: ProcessPool;
  readonly #limits: ModelProcessLimits;

  /** @param entry the module that serves the tasks, started with the settings */
  constructor(entry: URL, settings: ModelSettings, limits: ModelProcessLimits) {
    this.#limits = limits;
    this.#pool = new ProcessPool({
      entry,
      settings,
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      stderr: 'inherit',
      maxProcesses: 1,
      maxWaiting: limits.queueLength,
      timeout: limits.timeLimit,
      loadTimeout: limits.loadTimeLimit,
    });
  }

  /** Returns the vectors, concatenated. Throws `EncoderError`. */
  async run(task: EncoderTask, signal?: AbortSignal): Promise<Float32Array> {
    let isLoaded = false;
    const onReady = () => {
      isLoaded = true;
    };
    const outcome = await unlessAborted(
      this.#pool.run<EncoderOutcome>({ value: task, onReady }, signal),
      signal,
    )
      // Rejections are failures of the process or its queue; those of the task itself are outcomes.
      .catch((error) => {
        throw signal?.aborted ? givenUp() : this.#failure(error, isLoaded);
      });
    if ('rows' in outcome) return outcome.rows;
    const { failure, message, index } = outcome;
    throw new EncoderError(failure, message, index === null ? {} : { index });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #failure(error: Error, isLoaded: boolean): EncoderError {
    const { timeLimit, loadTimeLimit } = this.#limits;
    if (error instanceof ProcessExitedError) {
      return new EncoderError(
        'failed',
        `The process of the encoder stopped: ${error.signal ?? error.message}.`,
      );
    }
    if (!(error instanceof WorkerFailure)) return new EncoderError('failed', error.message, { cause: error });
    if (error.reason === 'full') return new EncoderBusy();
    if (error.reason === 'closed') return new EncoderError('closed', 'The encoder is closed.');
    return isLoaded
      ? new EncoderError('time', `The model takes too long: more than ${timeLimit} ms.`)
      : new EncoderError('time', `The model takes too long to load: more than ${loadTimeLimit} ms.`);
  }
}

/** Rejects as soon as the signal aborts instead of waiting for a running task; the process still finishes it. */
async function unlessAborted<Result>(
  task: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return task;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([task, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function givenUp(): EncoderError {
  return new EncoderError('closed', 'The caller cancelled the encoding.');
}
