/** Why a task has no answer although its code did not fail: `full` means that too many tasks were already waiting. */
export class WorkerFailure extends Error {
  override name = 'WorkerFailure';
  readonly reason: 'full' | 'time' | 'memory' | 'closed';

  constructor(reason: WorkerFailure['reason'], options?: ErrorOptions) {
    super(`the worker gave up: ${reason}`, options);
    this.reason = reason;
  }
}

/** A process terminated while it ran a task, or could not be started. */
export class ProcessExitedError extends Error {
  override name = 'ProcessExitedError';
  readonly signal: NodeJS.Signals | null;

  constructor(signal: NodeJS.Signals | null, options?: ErrorOptions) {
    super(`the process ended${signal === null ? '' : ` by ${signal}`}`, options);
    this.signal = signal;
  }
}
