import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFile } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { hashOf } from '../store/hash.ts';

/**
 * Verifies the hashes of the files, runs `load`, and checks that no file changed meanwhile: a model may be replaced at
 * any time, and a mix of two models would yield wrong vectors. Throws `EncoderError` (`damaged`).
 */
export async function loadVerified<Loaded>(
  folder: string,
  files: readonly ModelFile[],
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const before = await fileFingerprints(folder, files);
  for (const { name, sha256 } of files) {
    const hash = await hashOf(join(folder, name)).catch(() => null);
    if (hash !== sha256) throw changed(folder, name);
  }
  const loaded = await load();
  const after = await fileFingerprints(folder, files);
  for (const [at, mark] of after.entries()) if (mark !== before[at]) throw changed(folder, files[at]?.name);
  return loaded;
}

/** A string for each file that changes whenever the file does; null if there is no such file. */
function fileFingerprints(folder: string, files: readonly ModelFile[]): Promise<(string | null)[]> {
  return Promise.all(
    files.map(async ({ name }) => {
      const found = await stat(join(folder, name)).catch(() => null);
      return found && [found.ino, found.size, found.mtimeMs].join('-');
    }),
  );
}

function changed(folder: string, name: string | undefined): EncoderError {
  return new EncoderError('damaged', `${name} in ${folder} does not match its description.`);
}
