export { BoundedQueue, type BoundedQueueOptions } from './bounded-queue.ts';
export { type ForEachOptions, forEachBounded } from './for-each-bounded.ts';
export { WorkerFailure } from './worker-failure.ts';
export { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';
