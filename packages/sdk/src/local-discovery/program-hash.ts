import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The code that determines the assets of a folder. */
const FOLDERS = ['../discovery/', '../curation/', './'].map((name) => new URL(name, import.meta.url));

let hashed: string | undefined;

/** Returns a hash of the discovery code: another version might find something else in the same files. */
export function programHash(): string {
  if (hashed !== undefined) return hashed;
  const digest = createHash('sha256');
  const formats = createRequire(import.meta.url).resolve('@bindery/formats');
  for (const folder of [...FOLDERS, new URL('./', pathToFileURL(formats))]) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (/(?<!\.d)\.[jt]s$/.test(file)) {
        digest.update(file).update(readFileSync(new URL(file.replaceAll('\\', '/'), folder)));
      }
    }
  }
  hashed = digest.digest('hex');
  return hashed;
}
