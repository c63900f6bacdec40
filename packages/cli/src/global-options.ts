/** Options that every command has, as typed. */
export interface GlobalOptions {
  json: boolean;
  quiet: boolean;
  /** Null: decided by the terminal and the environment. */
  color: boolean | null;
  apiUrl: string | undefined;
  authUrl: string | undefined;
}
