/** The files of a backup other than its objects, in one place. */
export interface BackupFiles {
  /** The name of the place in messages. */
  readonly place: string;
  /** Creates the place, private to this user, if it can be created. */
  prepare(): Promise<void>;
  /** Names of the files and folders there. */
  names(): Promise<string[]>;
  /** Returns a local path for a file to be written and then kept. */
  draft(name: string): string;
  /** Makes a written file durable in its place. */
  keep(name: string): Promise<void>;
  /** Writes a small file durably, replacing what is there. */
  write(name: string, text: string): Promise<void>;
  /** Throws `ENOENT` if there is none. */
  read(name: string): Promise<string>;
  /** Returns a local path of a file. Throws `ENOENT` if there is none. */
  fetch(name: string): Promise<string>;
  /** Does nothing if there is none. */
  delete(name: string): Promise<void>;
}
