import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

/*
 * A worker: copies the write-ahead log into the database, waiting for nobody, and ends. The writer that comes next
 * begins the log anew.
 */
const database = new DatabaseSync(workerData, { timeout: 1_000 });
database.exec('pragma wal_checkpoint(passive)');
database.close();
