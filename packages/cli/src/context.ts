import type { Client, FoundToken } from '@bindery/sdk';
import type { Output } from './output/output.ts';
import type { ProgressReporter } from './progress/progress.ts';
import type { GlobalOptions, Settings } from './settings.ts';

/** What every command works with besides its inputs. */
export interface Context {
  output: Output;
  progress: ProgressReporter;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  environment: NodeJS.ProcessEnv;
  /** Global options, as typed. */
  global: GlobalOptions;
  /** The user's configuration, and the servers chosen by it and the command line. */
  settings(): Promise<Settings>;
  /** The token for the chosen server, as it was found; null if there is none. */
  token(): Promise<FoundToken | null>;
  /** The client for the chosen server, with the token that was found, if any. */
  client(): Promise<Client>;
  /** The client for a server that a file names: `client` if it is the chosen one, else one without a token. */
  clientForServer(server: string): Promise<Client>;
  /** Like `client`, but throws an error that says how to sign in if there is no token. */
  signedInClient(): Promise<Client>;
  /** Asks for confirmation before something is lost. Throws if the answer is no. */
  confirm(question: string, options: ConfirmOptions): Promise<void>;
}

export interface ConfirmOptions {
  /** `--yes`: do not ask. */
  yes: boolean;
  /** If nobody can be asked: refuse and name `--yes`, or go ahead if what is lost can be recreated. */
  nonInteractive: 'refuse' | 'go ahead';
}
