/*
 * The messages between a pool and its processes. Each message names its task and each answer its question, so that none
 * can settle another's.
 */

export type ToProcess =
  /** Sent once, as the first message. */
  | { type: 'start'; settings: unknown }
  | { type: 'task'; task: number; value: unknown }
  | { type: 'answer'; task: number; question: number; value: unknown }
  | { type: 'no answer'; task: number; question: number; message: string };

export type FromProcess =
  /** Everything that the task needs is loaded: from here on, the time limit of the task itself applies. */
  | { type: 'ready'; task: number }
  | { type: 'question'; task: number; question: number; value: unknown }
  | { type: 'done'; task: number; value: unknown }
  | { type: 'failed'; task: number; message: string };
