import { Pace } from '@bindery/contract';
import type { Dispatcher } from 'undici';
import { TOO_SLOW } from './errors.ts';

export interface LeastRate {
  /** Bytes a second, on average. */
  rate: number;
  /** Milliseconds for which the average is taken, of what is sent and of what comes. */
  sending: number;
  receiving: number;
}

/** An exchange that moves slower than the least rate. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
  readonly code = TOO_SLOW;
}

/** Milliseconds between the first look at an exchange that seems too slow and the one that decides, if this process stood still. */
const SECOND_LOOK = 1_000;

/** Ends exchanges whose bodies, in either direction, move slower than the least rate. Waiting for an answer's head is none of it. */
export function keepLeastRate(least: LeastRate): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new PacedHandler(handler, least));
}

class PacedHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #least: LeastRate;
  #watch: Watch | null = null;
  #controller: Dispatcher.DispatchController | null = null;

  constructor(handler: Dispatcher.DispatchHandler, least: LeastRate) {
    this.#handler = handler;
    this.#least = least;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#controller = controller;
    this.#begin(this.#least.sending);
    this.#handler.onRequestStart?.(controller, context);
  }

  onBodySent(chunk: Buffer): void {
    this.#watch?.moved(chunk.length);
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#end();
    this.#handler.onRequestSent?.();
  }

  onRequestUpgrade(...upgrade: Parameters<Required<Dispatcher.DispatchHandler>['onRequestUpgrade']>): void {
    this.#end();
    this.#handler.onRequestUpgrade?.(...upgrade);
  }

  onResponseStart(...start: Parameters<Required<Dispatcher.DispatchHandler>['onResponseStart']>): void {
    const [, status] = start;
    if (status >= 200) this.#begin(this.#least.receiving);
    this.#handler.onResponseStart?.(...start);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#watch?.moved(chunk.length);
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<Required<Dispatcher.DispatchHandler>['onResponseEnd']>): void {
    this.#end();
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(...failure: Parameters<Required<Dispatcher.DispatchHandler>['onResponseError']>): void {
    this.#end();
    this.#handler.onResponseError?.(...failure);
  }

  #begin(window: number): void {
    this.#end();
    const controller = this.#controller;
    this.#watch = new Watch(this.#least.rate, window, {
      isPaused: () => controller?.paused === true,
      onSlow: () => controller?.abort(new TooSlowError('The transfer is too slow.')),
    });
  }

  #end(): void {
    this.#watch?.end();
    this.#watch = null;
  }
}

/** Looks at an exchange when it would be too slow. What its reader holds up is not slow. */
class Watch {
  readonly #pace: Pace;
  readonly #exchange: { isPaused(): boolean; onSlow(): void };
  #seemedSlow = false;
  #timer: NodeJS.Timeout;

  constructor(rate: number, window: number, exchange: { isPaused(): boolean; onSlow(): void }) {
    this.#pace = new Pace({ rate, window }, performance.now());
    this.#exchange = exchange;
    this.#timer = setTimeout(() => this.#look(), window);
  }

  moved(bytes: number): void {
    this.#pace.moved(bytes, performance.now());
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    if (this.#exchange.isPaused()) this.#pace.restart(now);
    const left = this.#pace.left(now);
    if (left <= 0 && this.#seemedSlow) {
      this.#exchange.onSlow();
      return;
    }
    this.#seemedSlow = left <= 0;
    this.#timer = setTimeout(() => this.#look(), this.#seemedSlow ? SECOND_LOOK : left);
  }
}
