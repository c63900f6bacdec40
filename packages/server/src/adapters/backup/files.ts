/** The files of a backup beside its objects, in one place. */
export interface BackupFiles {
  /** As messages name it. */
  readonly place: string;
  /** Makes the place, private to this user, where it can be made. */
  prepare(): Promise<void>;
  /** Names of the files and folders there. */
  names(): Promise<string[]>;
  /** A local path for a file that is to be filled and then kept. */
  draft(name: string): string;
  /** Makes a filled file durable in its place. */
  keep(name: string): Promise<void>;
  /** Writes a small file, durable, in the place of what is there. */
  write(name: string, text: string): Promise<void>;
  /** Throws `ENOENT` where there is none. */
  read(name: string): Promise<string>;
  /** A local path of a file. Throws `ENOENT` where there is none. */
  fetch(name: string): Promise<string>;
  /** Does nothing where there is none. */
  delete(name: string): Promise<void>;
}
