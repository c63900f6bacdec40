import { type Streams, widthOf } from '../output.ts';

/** How pictures are sent to a terminal. */
export type PictureProtocol = 'kitty' | 'iterm' | 'sixel';

/** Narrower terminals show text only. */
const MIN_COLUMNS = 40;

/** Variables that switch pictures off: only text is wanted, or a multiplexer would garble pictures. */
const SWITCHES_OFF = ['NO_COLOR', 'CI', 'TMUX', 'STY', 'ZELLIJ'];

/** WezTerm's own protocol is iTerm2's; with kitty's, a new picture replaces the previous one there. */
const BY_PROGRAM: ReadonlyMap<string, PictureProtocol> = new Map([
  ['ghostty', 'kitty'],
  ['WezTerm', 'iterm'],
  ['iTerm.app', 'iterm'],
]);

const SIXEL_TERM = /^(?:foot|mlterm|contour)(?:-|$)|sixel/;

/** Returns how pictures are shown on stdout, or null. The terminal is not queried: its environment decides. */
export function pictureProtocol(
  environment: NodeJS.ProcessEnv,
  { json, quiet, streams: { stdout } }: { json: boolean; quiet: boolean; streams: Pick<Streams, 'stdout'> },
): PictureProtocol | null {
  if (json || quiet || (widthOf(stdout) ?? 0) < MIN_COLUMNS) return null;
  if (SWITCHES_OFF.some((name) => environment[name])) return null;
  return protocolOf(environment);
}

/** A terminal started from another inherits its variables, so those that name the terminal come first. */
function protocolOf(environment: NodeJS.ProcessEnv): PictureProtocol | null {
  const { TERM = '', TERM_PROGRAM, KITTY_WINDOW_ID } = environment;
  if (TERM === 'dumb') return null;
  if (TERM === 'xterm-kitty' || TERM === 'xterm-ghostty') return 'kitty';
  if (SIXEL_TERM.test(TERM)) return 'sixel';
  if (TERM_PROGRAM) return BY_PROGRAM.get(TERM_PROGRAM) ?? null;
  return KITTY_WINDOW_ID ? 'kitty' : null;
}
