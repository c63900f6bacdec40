import type { Visibility } from '@bindery/contract';
import type { PickedPlan } from '@bindery/sdk/browser/push';
import { startPushWorker } from '../start-worker.ts';
import type { Coverage, Failure, FromWorker, PickedFolder, Progress, Target, ToWorker } from './protocol.ts';

/** The steps of a push. `planned` and `sending` carry the plan, which stays on the page. */
export type PushState =
  | { step: 'nothing' }
  | { step: 'reading'; progress: Progress | null }
  | { step: 'planned'; plan: PickedPlan; coverage: Coverage }
  | { step: 'sending'; plan: PickedPlan; coverage: Coverage; progress: Progress | null }
  /** `plan` is null if it failed before planning. */
  | { step: 'failed'; failure: Failure; plan: PickedPlan | null; coverage: Coverage | null }
  | { step: 'published'; revision: number; isUnchanged: boolean; warnings: string[] };

/** One push from the page's side. `onState` is called with each new state. */
export class PushSession {
  #worker: Worker | null = null;
  readonly #onState: (state: PushState) => void;
  #state: PushState = { step: 'nothing' };

  constructor(onState: (state: PushState) => void) {
    this.#onState = onState;
  }

  #start(): Worker {
    const worker = startPushWorker();
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#handleMessage(data);
    worker.onerror = (event) => {
      // An error event without a message means that the worker's script failed to load.
      const failure: Failure = event.message
        ? { kind: 'other', message: event.message }
        : { kind: 'unreachable', message: '' };
      worker.terminate();
      this.#worker = null;
      this.#become({ step: 'failed', failure, plan: null, coverage: null });
    };
    return worker;
  }

  plan(target: Target, picked: PickedFolder, coverage: Coverage | null): void {
    this.#become({ step: 'reading', progress: null });
    this.#send({ type: 'plan', target, picked, coverage });
  }

  publish(visibility: Visibility | undefined): void {
    const { plan, coverage } = planOf(this.#state);
    if (plan === null || coverage === null || this.#state.step === 'sending') return;
    this.#become({ step: 'sending', plan, coverage, progress: null });
    this.#send({ type: 'publish', visibility });
  }

  cancel(): void {
    this.#worker?.postMessage({ type: 'cancel' } satisfies ToWorker);
  }

  /** Terminates the worker and any work in progress. */
  close(): void {
    this.#worker?.terminate();
  }

  #handleMessage(message: FromWorker): void {
    const { plan, coverage } = planOf(this.#state);
    switch (message.type) {
      case 'progress':
        if (this.#state.step !== 'reading' && this.#state.step !== 'sending') return;
        this.#become({ ...this.#state, progress: message.progress });
        break;
      case 'planned':
        this.#become({ step: 'planned', plan: message.plan, coverage: message.coverage });
        break;
      case 'published': {
        const { revision, isUnchanged, warnings } = message;
        this.#become({ step: 'published', revision, isUnchanged, warnings });
        break;
      }
      case 'failed':
        this.#become({ step: 'failed', failure: message.failure, plan, coverage });
        break;
      case 'edited':
        break;
      case 'cancelled':
        this.#become(
          plan === null || coverage === null ? { step: 'nothing' } : { step: 'planned', plan, coverage },
        );
    }
  }

  #become(state: PushState): void {
    this.#state = state;
    this.#onState(state);
  }

  #send(message: ToWorker): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }
}

function planOf(state: PushState): { plan: PickedPlan | null; coverage: Coverage | null } {
  return 'plan' in state ? { plan: state.plan, coverage: state.coverage } : { plan: null, coverage: null };
}
