import type { Client, FoundToken } from '@bindery/sdk';
import type { GlobalOptions } from './global-options.ts';
import type { Output } from './output/output.ts';
import type { ProgressReporter } from './progress/progress.ts';
import type { Settings } from './settings.ts';

/** What every command works with beside its inputs. */
export interface Context {
  output: Output;
  progress: ProgressReporter;
  /** Aborts with Ctrl-C. */
  signal: AbortSignal;
  environment: NodeJS.ProcessEnv;
  /** Options of every command, as typed. */
  global: GlobalOptions;
  /** The user's configuration and the servers that it and the command line choose. */
  settings(): Promise<Settings>;
  /** The token for the chosen server, as it was found; null if there is none. */
  token(): Promise<FoundToken | null>;
  /** The client for the chosen server, with the token that was found, if any. */
  client(): Promise<Client>;
  /** The client for a server that a file names: as `client` where that is the chosen one, else without any token. */
  clientOf(server: string): Promise<Client>;
  /** The same as `client`, but a missing token is an error that says how to sign in. */
  signedInClient(): Promise<Client>;
  /** Asks before something is lost. Throws where the answer is no. */
  confirm(question: string, options: ConfirmOptions): Promise<void>;
}

export interface ConfirmOptions {
  /** `--yes`: do not ask. */
  yes: boolean;
  /** Where nobody can be asked: refuse and name `--yes`, or go ahead, for what can be made again. */
  offTerminal: 'refuse' | 'go ahead';
}
