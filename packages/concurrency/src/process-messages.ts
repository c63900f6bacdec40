/*
 * What a pool and its processes tell each other. Each message names its task and each answer its question, so that none
 * can settle another's.
 */

export type ToProcess =
  /** Comes once, first. */
  | { type: 'start'; settings: unknown }
  | { type: 'task'; task: number; value: unknown }
  | { type: 'answer'; task: number; question: number; value: unknown }
  | { type: 'no answer'; task: number; question: number; message: string };

export type FromProcess =
  /** What had to be loaded is loaded: from now on the time of the task itself counts. */
  | { type: 'ready'; task: number }
  | { type: 'question'; task: number; question: number; value: unknown }
  | { type: 'done'; task: number; value: unknown }
  | { type: 'failed'; task: number; message: string };
