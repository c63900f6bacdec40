import { type Client, createClient } from '@bindery/sdk';
import type { Context, GlobalOptions } from './context.ts';
import { CommandError, usageError } from './output/command-error.ts';
import { EXIT } from './output/exit-codes.ts';
import type { Output } from './output/output.ts';
import { createProgress } from './progress/progress.ts';

const DEFAULT_SERVER = 'http://127.0.0.1:7420';

export function createContext(parts: {
  output: Output;
  global: GlobalOptions;
  signal: AbortSignal;
}): Context & { close(): Promise<void> } {
  const { output, global, signal } = parts;
  const environment = process.env;
  let opened: Promise<Client> | undefined;

  async function open(): Promise<Client> {
    const baseUrl = global.apiUrl ?? (environment.BINDERY_API_URL || DEFAULT_SERVER);
    return createClient({ baseUrl, token: environment.BINDERY_TOKEN, userAgent: 'bindery-cli', signal });
  }

  const client = () => {
    opened ??= open();
    return opened;
  };

  return {
    output,
    signal,
    environment,
    global,
    progress: createProgress(output),
    client,
    async signedInClient() {
      const opened = await client();
      if (opened.authenticated) return opened;
      throw new CommandError(EXIT.permission, 'unauthenticated', 'Nobody is signed in.', {
        next: 'Sign in with "bindery login", or set BINDERY_TOKEN.',
      });
    },
    async confirm(question, { yes }) {
      if (yes) return;
      if (!process.stdin.isTTY || !process.stderr.isTTY || output.json) {
        throw usageError(`${question} This needs an answer.`, 'Add --yes to go ahead without being asked.');
      }
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
      if (isCancel(answer) || !answer)
        throw new CommandError(EXIT.interrupted, 'interrupted', 'Nothing was changed.');
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
