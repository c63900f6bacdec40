/** Resources that are closed in the reverse order of opening, like `AsyncDisposableStack`, which Node 22 lacks. */
export class ResourceStack {
  #closers: (() => unknown)[] = [];

  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Moves everything to a new instance, so that leaving the scope of this one closes nothing. */
  move(): ResourceStack {
    const moved = new ResourceStack();
    moved.#closers = this.#closers;
    this.#closers = [];
    return moved;
  }

  /** Closes everything, even after failures, and then throws the first failure. */
  async disposeAsync(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}
