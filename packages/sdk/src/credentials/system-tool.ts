import { spawn } from 'node:child_process';
import { isMissing } from './private-files.ts';
import { TokenStoreUnavailableError } from './token-store.ts';

/** The result of a system program. */
export interface ToolResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Time limit for a keychain, in milliseconds; one that prompts on a screen nobody watches would never return. */
export const KEYCHAIN_TIMEOUT = 3_000;

/**
 * Runs a system program. Secrets go through `input`, never through `args`, which other users can see. Throws
 * `TokenStoreUnavailableError` if the program is not installed or does not exit in time.
 */
export async function runTool(
  program: string,
  args: readonly string[],
  options: { input?: string; environment: NodeJS.ProcessEnv; timeout?: number },
): Promise<ToolResult> {
  const { input = '', environment, timeout = KEYCHAIN_TIMEOUT } = options;
  const child = spawn(program, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {
    // A program that exits without reading its input explains itself by its exit code.
  });
  child.stdin.end(input);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, timeout);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (timedOut)
      throw new TokenStoreUnavailableError('no answer', `"${program}" did not answer within three seconds.`);
    return { code, stdout, stderr };
  } catch (error) {
    if (isMissing(error)) {
      throw new TokenStoreUnavailableError('not installed', `"${program}" is not installed.`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
