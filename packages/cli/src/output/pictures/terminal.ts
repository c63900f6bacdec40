import { type Streams, widthOf } from '../output.ts';

/** How a terminal takes pictures. */
export type PictureProtocol = 'kitty' | 'iterm' | 'sixel';

/** Terminals that are narrower show words alone. */
const MIN_COLUMNS = 40;

/** Nobody wants more than words there, or another program stands between and would garble pictures. */
const SWITCHES_OFF = ['NO_COLOR', 'CI', 'TMUX', 'STY', 'ZELLIJ'];

/** WezTerm's own protocol is iTerm2's; of kitty's, it lets a new picture take the place of the one before. */
const BY_PROGRAM: ReadonlyMap<string, PictureProtocol> = new Map([
  ['ghostty', 'kitty'],
  ['WezTerm', 'iterm'],
  ['iTerm.app', 'iterm'],
]);

const SIXEL_TERM = /^(?:foot|mlterm|contour)(?:-|$)|sixel/;

/** How pictures are shown on stdout; null where they are not. Nothing is asked of the terminal: its environment says it. */
export function pictureProtocol(
  environment: NodeJS.ProcessEnv,
  { json, quiet, streams: { stdout } }: { json: boolean; quiet: boolean; streams: Pick<Streams, 'stdout'> },
): PictureProtocol | null {
  if (json || quiet || (widthOf(stdout) ?? 0) < MIN_COLUMNS) return null;
  if (SWITCHES_OFF.some((name) => environment[name])) return null;
  return protocolOf(environment);
}

/** A terminal that is started from another inherits its variables: the program that names itself comes first. */
function protocolOf(environment: NodeJS.ProcessEnv): PictureProtocol | null {
  const { TERM = '', TERM_PROGRAM, KITTY_WINDOW_ID } = environment;
  if (TERM === 'dumb') return null;
  if (TERM === 'xterm-kitty' || TERM === 'xterm-ghostty') return 'kitty';
  if (SIXEL_TERM.test(TERM)) return 'sixel';
  if (TERM_PROGRAM) return BY_PROGRAM.get(TERM_PROGRAM) ?? null;
  return KITTY_WINDOW_ID ? 'kitty' : null;
}
