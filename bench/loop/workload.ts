import type { MeasuredService } from './service.ts';
import type { World } from './world.ts';

/** Work that a service does, and how often it is measured. */
export interface Workload {
  name: string;
  /** Repetitions after the first run, 30 by default. */
  times?: number;
  /** Environment variables of the service, if any are needed. */
  environment?: Record<string, string>;
  /** Applied to the data folder before the service starts. */
  seed?(world: World): Promise<void>;
  /** Prepares the work and returns a function that does it, given the number of the run. */
  prepare(service: MeasuredService): Promise<(time: number) => Promise<unknown>>;
}
