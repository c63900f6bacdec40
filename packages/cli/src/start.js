import { enableCompileCache } from 'node:module';

/** Starts the program in this process. */
export async function start() {
  enableCompileCache();
  silenceSqliteNotice();
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
