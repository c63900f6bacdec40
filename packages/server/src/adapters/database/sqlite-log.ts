import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { sqliteReason } from '../../database/sqlite-failures.ts';
import { StartError } from '../../process/start-error.ts';

/** What SQLite keeps beside a database, and applies to whichever database has that name. */
export const LOG_SUFFIXES = ['-wal', '-shm', '-journal'];

/** Positions and sizes of SQLite's file formats. */
const VERSION_IN_PAGE = 60;
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

const MAX_FIRST_VERSION = 2 ** 30;

/**
 * Counts the generations of the write-ahead log in the header of the database (`user_version`): called whenever the log
 * may begin anew, so that the first frames of a log say which state of the database they continue.
 */
export function beginGeneration(database: DatabaseSync): void {
  database.exec('begin immediate');
  const { user_version } = database.prepare('pragma user_version').get() as { user_version: number };
  database.exec(`pragma user_version = ${user_version === 0 ? firstVersion() : user_version + 1}; commit;`);
}

/** Makes a copy of a database one of its own, to which no existing log belongs. */
export function separateGenerations(database: DatabaseSync): void {
  database.exec(`pragma user_version = ${firstVersion()}`);
}

/**
 * Throws `StartError` if the write-ahead log beside a database continues another one, or another state of it: SQLite
 * would mix both. Call it before opening the database.
 */
export function requireOwnLog(file: string): void {
  const log = `${file}-wal`;
  if (!existsSync(file) || !existsSync(log)) return;
  const [versions, version] = readable(file, () => [versionsInLog(log), versionOf(file)] as const);
  // A database of an earlier version of this service counts nothing.
  if (versions === null || version === 0) return;
  if (version >= versions.first - 1 && version <= versions.last) return;
  throw new StartError(
    `The log ${log} does not belong to the database ${file}: one of them was replaced or put back. ` +
      `To use the database as it is, move the log (and ${file}-shm) away; to use the log, put back the database that it was written for.`,
  );
}

/** Throws `StartError` if there is a log of a database that is gone. */
export function requireNoLeftOverLog(file: string): void {
  const found = LOG_SUFFIXES.map((suffix) => file + suffix).filter((path) => existsSync(path));
  if (found.length === 0) return;
  throw new StartError(
    `${found.join(' and ')} ${found.length === 1 ? 'belongs' : 'belong'} to a database that is not there any more. ` +
      'Move the database and these files to the same place, and try again.',
  );
}

function readable<Result>(file: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const reason = sqliteReason(error) ?? (error as Error).message;
    throw new StartError(`The database ${file} cannot be used: ${reason}.`, { cause: error });
  }
}

function firstVersion(): number {
  return randomInt(1, MAX_FIRST_VERSION);
}

function versionOf(file: string): number {
  return withFile(file, (read) => read(VERSION_IN_PAGE, 4)?.readUInt32BE(0) ?? 0);
}

/** The versions in the first and the last copy of page 1 that a log holds; null if it holds none. */
function versionsInLog(log: string): { first: number; last: number } | null {
  const versions = withFile(log, (read) => [...versionsIn(read)]);
  const [first] = versions;
  return first === undefined ? null : { first, last: versions.at(-1) ?? first };
}

function* versionsIn(read: Read): Generator<number> {
  const header = read(0, LOG_HEADER);
  if (header === null) return;
  const pageSize = header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  for (let at = LOG_HEADER; ; at += FRAME_HEADER + pageSize) {
    const frame = read(at, FRAME_HEADER + VERSION_IN_PAGE + 4);
    // What follows is left over from before the log began anew.
    if (frame === null || !frame.subarray(8, 16).equals(salts)) return;
    if (frame.readUInt32BE(0) === 1) yield frame.readUInt32BE(FRAME_HEADER + VERSION_IN_PAGE);
  }
}

/** Reads bytes at a position; null if the file has fewer. */
type Read = (at: number, length: number) => Buffer | null;

function withFile<Result>(path: string, work: (read: Read) => Result): Result {
  const fd = openSync(path, 'r');
  try {
    return work((at, length) => {
      const bytes = Buffer.alloc(length);
      return readSync(fd, bytes, 0, length, at) === length ? bytes : null;
    });
  } finally {
    closeSync(fd);
  }
}
