import type { Logger } from 'pino';
import { EngineState } from './engine-state.ts';
import type { EngineUnavailable, SearchEngine } from './search-engine.ts';

/** Milliseconds for which an engine that did not answer is not asked again. */
const RESTS = 5_000;

/** The engine of this service, with what is known of it. */
export class ConnectedEngine {
  readonly port: SearchEngine;
  readonly state = new EngineState();
  readonly #log: Logger;
  #failedAt: number | null = null;

  constructor(port: SearchEngine, log: Logger) {
    this.port = port;
    this.#log = log;
  }

  /** Whether a search may ask it: not right after it failed, so that searches do not wait for it one after the other. */
  get isTrusted(): boolean {
    return this.#failedAt === null || performance.now() - this.#failedAt >= RESTS;
  }

  failed(error: EngineUnavailable): void {
    this.#failedAt = performance.now();
    this.#log.warn(
      { err: error },
      'the search engine does not answer: libraries are searched in this process',
    );
  }

  close(): Promise<void> {
    return this.port.close();
  }
}
