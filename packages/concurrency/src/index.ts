export { BoundedQueue, type BoundedQueueOptions } from './bounded-queue.ts';
export { arrivingChunks, chunks } from './chunks.ts';
export { type ForEachOptions, forEachBounded } from './for-each-bounded.ts';
export { KeyedMutex } from './keyed-mutex.ts';
export { ProcessPool, type ProcessPoolOptions } from './process-pool.ts';
export { neutralEnvironment } from './task-process.ts';
export { withTimeout } from './with-timeout.ts';
export { ProcessExitedError, WorkerFailure } from './worker-failure.ts';
export { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';
