import type { Input } from './command.ts';

/** One option that every command has. */
export interface GlobalOption {
  flags: string[];
  /** How its value is named, or null for a switch. */
  value: string | null;
  summary: string;
  hidden?: boolean;
}

export const GLOBAL_OPTIONS: readonly GlobalOption[] = [
  { flags: ['--json'], value: null, summary: 'print machine-readable JSON' },
  { flags: ['-q', '--quiet'], value: null, summary: 'suppress progress and notes' },
  { flags: ['--no-color'], value: null, summary: 'print without colours' },
  { flags: ['--api-url'], value: '<url>', summary: 'server to use (also BINDERY_API_URL)' },
  { flags: ['--dash-url'], value: '<url>', summary: 'the same as --api-url', hidden: true },
  { flags: ['--auth-url'], value: '<url>', summary: 'authorization server, if it is a different one' },
];

/** Returns how an option is typed: `dryRun` as `--dry-run`, with its short form first if it has one. */
export function optionFlags(name: string, { short }: Pick<Input<unknown>, 'short'>): string[] {
  const long = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return short ? [short, long] : [long];
}
