import type { Client } from '@bindery/sdk';
import type { Output } from './output/output.ts';
import type { ProgressReporter } from './progress/progress.ts';

/** What every command works with beside its inputs. */
export interface Context {
  output: Output;
  progress: ProgressReporter;
  /** Aborts with Ctrl-C. */
  signal: AbortSignal;
  environment: NodeJS.ProcessEnv;
  /** The client for the chosen server, with the token that was found, if any. */
  client(): Promise<Client>;
  /** The same, but a missing token is an error that says how to sign in. */
  signedInClient(): Promise<Client>;
  /** Asks before something that cannot be undone; off a terminal it is an error that names `--yes`. */
  confirm(question: string, options: { yes: boolean }): Promise<void>;
  /** Options of every command, as typed. */
  global: GlobalOptions;
}

export interface GlobalOptions {
  json: boolean;
  quiet: boolean;
  color: boolean | null;
  apiUrl: string | undefined;
  authUrl: string | undefined;
}
