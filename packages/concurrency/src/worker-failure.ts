/** Why a task has no answer, though there is nothing wrong with its code: `full` means that too many waited already. */
export class WorkerFailure extends Error {
  override name = 'WorkerFailure';
  readonly reason: 'full' | 'time' | 'memory' | 'closed';

  constructor(reason: WorkerFailure['reason'], options?: ErrorOptions) {
    super(`the worker gave up: ${reason}`, options);
    this.reason = reason;
  }
}
