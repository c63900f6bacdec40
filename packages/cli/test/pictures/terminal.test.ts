import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Output } from '../../src/output/output.ts';
import { pictureProtocol } from '../../src/output/pictures/terminal.ts';

const KITTY = { TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1' };

function chosen(
  environment: NodeJS.ProcessEnv,
  { isTTY = true, columns = 80, json = false, quiet = false } = {},
) {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns });
  const output = new Output({ stdout, stderr: new PassThrough() }, { json, quiet, color: null });
  return pictureProtocol(environment, output);
}

test.each([
  [{ TERM: 'xterm-kitty' }, 'kitty'],
  [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '3' }, 'kitty'],
  [{ TERM: 'xterm-ghostty' }, 'kitty'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty' }, 'kitty'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'iterm'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'iterm'],
  [{ TERM: 'foot' }, 'sixel'],
  [{ TERM: 'foot-extra' }, 'sixel'],
  [{ TERM: 'mlterm-256color' }, 'sixel'],
  [{ TERM: 'contour' }, 'sixel'],
  [{ TERM: 'xterm-sixel' }, 'sixel'],
  [{ TERM: 'xterm-256color' }, null],
  [{ TERM: 'footloose' }, null],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, null],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'constructor' }, null],
  [{}, null],
])('the picture protocol for %j is %s', (environment, protocol) => {
  expect(chosen(environment)).toBe(protocol);
});

test('a terminal that was started from kitty is not mistaken for kitty', () => {
  expect(chosen({ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', KITTY_WINDOW_ID: '1' })).toBeNull();
});

describe('a terminal with graphics gets no pictures', () => {
  test.each([['NO_COLOR'], ['CI'], ['TMUX'], ['STY'], ['ZELLIJ']])('with %s', (name) => {
    expect(chosen({ ...KITTY, [name]: '1' })).toBeNull();
    expect(chosen({ ...KITTY, [name]: '' })).toBe('kitty');
  });

  test('with TERM=dumb', () => {
    expect(chosen({ ...KITTY, TERM: 'dumb' })).toBeNull();
    expect(chosen({ TERM: 'dumb', TERM_PROGRAM: 'iTerm.app' })).toBeNull();
  });

  test.each([{ json: true }, { quiet: true }, { isTTY: false }, { columns: 39 }])('with %j', (options) => {
    expect(chosen(KITTY)).toBe('kitty');
    expect(chosen(KITTY, options)).toBeNull();
  });
});
