import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Starts the program in this process. */
export async function start() {
  // Node's own default is a folder in the shared temporary one, where others could plant code.
  const compiled = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bindery', 'compiled');
  enableCompileCache(compiled);
  // Threads do not take it over by themselves, and would compile everything anew.
  process.env.NODE_COMPILE_CACHE ??= compiled;
  silenceSqliteNotice();
  endWithLauncher();
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}

/** `node:sqlite` announces itself as experimental on each start; every other warning stays. */
function silenceSqliteNotice() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function emit(warning, ...rest) {
    const text = typeof warning === 'string' ? warning : warning.message;
    if (!text.startsWith('SQLite is an experimental feature')) emitWarning.call(process, warning, ...rest);
  };
}

/** A launcher that was killed outright closes the channel to this process, which then stops as if asked to. */
function endWithLauncher() {
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
