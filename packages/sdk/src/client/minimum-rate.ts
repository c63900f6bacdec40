import { MinimumRate } from '@bindery/contract/wire';
import type { Dispatcher } from 'undici';
import { TransferError } from './transport.ts';

export interface MinimumTransferRate {
  /** Average bytes per second. */
  rate: number;
  /** Milliseconds over which the average is taken, of request and of response bodies. */
  sendWindow: number;
  receiveWindow: number;
}

/** Milliseconds between finding an exchange too slow and ending it, in case only this process had stalled. */
const RECHECK_AFTER = 1_000;

/** Checks an exchange whenever it could have become too slow. Delays caused by its own reader do not count. */
export class RateMonitor {
  readonly #pace: MinimumRate;
  readonly #exchange: { isPaused(): boolean; onSlow(): void };
  #seemedSlow = false;
  #timer: NodeJS.Timeout;

  constructor(rate: number, window: number, exchange: { isPaused(): boolean; onSlow(): void }) {
    this.#pace = new MinimumRate({ rate, window }, performance.now());
    this.#exchange = exchange;
    this.#timer = setTimeout(() => this.#check(), window);
  }

  record(bytes: number): void {
    this.#pace.record(bytes, performance.now());
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    if (this.#exchange.isPaused()) this.#pace.restart(now);
    const left = this.#pace.remaining(now);
    if (left <= 0 && this.#seemedSlow) {
      this.#exchange.onSlow();
      return;
    }
    this.#seemedSlow = left <= 0;
    this.#timer = setTimeout(() => this.#check(), this.#seemedSlow ? RECHECK_AFTER : left);
  }
}

/** Aborts exchanges whose bodies move slower than the minimum rate; waiting for a response does not count. */
export function enforceMinimumRate(minimum: MinimumTransferRate): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new MinimumRateHandler(handler, minimum));
}

class MinimumRateHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #minimum: MinimumTransferRate;
  #watch: RateMonitor | null = null;
  #controller: Dispatcher.DispatchController | null = null;

  constructor(handler: Dispatcher.DispatchHandler, minimum: MinimumTransferRate) {
    this.#handler = handler;
    this.#minimum = minimum;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#controller = controller;
    this.#begin(this.#minimum.sendWindow);
    this.#handler.onRequestStart?.(controller, context);
  }

  onBodySent(chunk: Buffer): void {
    this.#watch?.record(chunk.length);
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
    if (status >= 200) this.#begin(this.#minimum.receiveWindow);
    this.#handler.onResponseStart?.(...start);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#watch?.record(chunk.length);
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
    this.#watch = new RateMonitor(this.#minimum.rate, window, {
      isPaused: () => controller?.paused === true,
      onSlow: () => controller?.abort(new TransferError('TRANSFER_TOO_SLOW')),
    });
  }

  #end(): void {
    this.#watch?.end();
    this.#watch = null;
  }
}
