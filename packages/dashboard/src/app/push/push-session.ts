import type { Visibility } from '@bindery/contract';
import type { PickedPlan, Placement, ProposedText } from '@bindery/sdk/browser/push';
import { startPushWorker } from '../start-worker.ts';
import type { Failure, FromWorker, PickedFolder, Progress, Target, ToWorker } from './protocol.ts';

/** The steps of a push. `planned` and `sending` carry the plan, which stays on the page. */
export type PushState =
  | { step: 'nothing' }
  /** `earlier`: the plan for another name, which stays on the page meanwhile. */
  | { step: 'reading'; progress: Progress | null; earlier: PickedPlan | null }
  | { step: 'planned'; plan: PickedPlan; placement: Placement }
  | { step: 'sending'; plan: PickedPlan; placement: Placement; progress: Progress | null }
  /** `plan` is null if it failed before planning. */
  | { step: 'failed'; failure: Failure; plan: PickedPlan | null; placement: Placement | null }
  | ({ step: 'published'; plan: PickedPlan | null } & Omit<
      Extract<FromWorker, { type: 'published' }>,
      'type'
    >);

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
      this.#become({ step: 'failed', failure, plan: null, placement: null });
    };
    return worker;
  }

  /** With `keepsPlan`, the plan of a new library stays on the page until the next one. */
  plan(target: Target, picked: PickedFolder, placement: Placement | null, keepsPlan = false): void {
    const shown = keepsPlan ? shownPlan(this.#state) : null;
    this.#become({ step: 'reading', progress: null, earlier: shown?.revision === null ? shown : null });
    this.#send({ type: 'plan', target, picked, placement });
  }

  publish(visibility: Visibility | undefined, propose: ProposedText | undefined): void {
    const { plan, placement } = planOf(this.#state);
    if (plan === null || placement === null || this.#state.step === 'sending') return;
    this.#become({ step: 'sending', plan, placement, progress: null });
    this.#send({ type: 'publish', visibility, propose });
  }

  cancel(): void {
    this.#worker?.postMessage({ type: 'cancel' } satisfies ToWorker);
  }

  /** Terminates the worker and any work in progress. */
  close(): void {
    this.#worker?.terminate();
  }

  #handleMessage(message: FromWorker): unknown {
    const { plan, placement } = planOf(this.#state);
    switch (message.type) {
      case 'progress':
        if (this.#state.step !== 'reading' && this.#state.step !== 'sending') return;
        return this.#become({ ...this.#state, progress: message.progress });
      case 'planned':
        return this.#become({ step: 'planned', plan: message.plan, placement: message.placement });
      case 'published':
        return this.#become({ ...message, step: 'published', plan });
      case 'failed':
        return this.#become({ step: 'failed', failure: message.failure, plan, placement });
      case 'cancelled':
        this.#become(
          plan === null || placement === null ? { step: 'nothing' } : { step: 'planned', plan, placement },
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

/** The plan that the page shows before anything is sent. */
export function shownPlan(state: PushState): PickedPlan | null {
  if (state.step === 'planned') return state.plan;
  return state.step === 'reading' ? state.earlier : null;
}

function planOf(state: PushState): { plan: PickedPlan | null; placement: Placement | null } {
  return 'placement' in state ? state : { plan: null, placement: null };
}
