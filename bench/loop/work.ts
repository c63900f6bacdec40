import type { MeasuredService } from './service.ts';
import type { World } from './world.ts';

/** Something that a service does, and how often it is done. */
export interface Work {
  name: string;
  /** After the first time; 30 times unless this says otherwise. */
  times?: number;
  /** The service's, where it matters. */
  environment?: Record<string, string>;
  /** Done to the data folder before the service starts. */
  seed?(world: World): Promise<void>;
  /** Makes ready what is then done, with the number of the time. */
  prepare(service: MeasuredService): Promise<(time: number) => Promise<unknown>>;
}
