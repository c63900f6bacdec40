import { Gate } from '../../search/vectors/gate.ts';
import { LaneFailure, type LaneOptions, WorkerLane } from './lane.ts';

/** Runs tasks on so many threads, each when one is free; at most `queueLength` wait. */
export class LanePool {
  readonly #lanes: WorkerLane[];
  readonly #free: WorkerLane[];
  readonly #gate: Gate;

  constructor(threads: number, options: LaneOptions) {
    this.#lanes = Array.from({ length: threads }, () => new WorkerLane(options));
    this.#free = [...this.#lanes];
    this.#gate = new Gate(threads, options.queueLength);
  }

  /** As `WorkerLane` does. */
  async run<Result>(message: unknown, moved: readonly ArrayBuffer[] = []): Promise<Result> {
    const answer = await this.#gate.pass(async () => {
      const lane = this.#free.pop() as WorkerLane;
      try {
        return { result: await lane.run<Result>(message, moved) };
      } finally {
        this.#free.push(lane);
      }
    });
    if (!answer) throw new LaneFailure('full');
    return answer.result;
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}
