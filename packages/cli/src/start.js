import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Starts the program in this process. */
export async function start() {
  // Settings and caches would land in the current folder.
  if (process.env.HOME === '') delete process.env.HOME;
  cacheCompiledCode();
  silenceSqliteNotice();
  endWithLauncher();
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}

function cacheCompiledCode() {
  const cache = findCacheFolder();
  if (cache === null) return;
  // Node's default is in the shared temporary folder, where others could plant code.
  const compiled = join(cache, 'bindery', 'compiled');
  enableCompileCache(compiled);
  // Threads do not inherit the setting, and would compile everything again.
  process.env.NODE_COMPILE_CACHE ??= compiled;
}

/** Returns null for a user without a home folder; commands that need one report that. */
function findCacheFolder() {
  try {
    return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  } catch {
    return null;
  }
}

/** Suppresses the warning that `node:sqlite` is experimental; every other warning stays. */
function silenceSqliteNotice() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function emit(warning, ...rest) {
    const text = typeof warning === 'string' ? warning : warning.message;
    if (!text.startsWith('SQLite is an experimental feature')) emitWarning.call(process, warning, ...rest);
  };
}

/** Stops this process like SIGTERM if the launcher is killed, which closes the IPC channel. */
function endWithLauncher() {
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
