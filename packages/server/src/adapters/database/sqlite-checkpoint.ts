import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

/*
 * A worker that copies the write-ahead log into the database without waiting for readers or writers, and exits. The
 * next writer restarts the log from its beginning.
 */
const database = new DatabaseSync(workerData, { timeout: 1_000 });
database.exec('pragma wal_checkpoint(passive)');
database.close();
