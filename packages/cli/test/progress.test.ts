import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Output } from '../src/output/output.ts';
import { createProgress, drawLine } from '../src/progress/progress.ts';

const MIB = 1024 * 1024;

/** A progress reporter on streams that are read back, with a clock that is set by hand. */
function watch(options: { isTTY: boolean; quiet?: boolean; json?: boolean; columns?: number }) {
  const { isTTY, quiet = false, json = false, columns = 80 } = options;
  const stderr = Object.assign(new PassThrough(), { isTTY, columns });
  const streams = { stdout: new PassThrough(), stderr };
  let now = 0;
  const progress = createProgress(new Output(streams, { quiet, json, color: false }), () => now);
  return {
    progress,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    written: () => String(stderr.read() ?? ''),
  };
}

describe('progress on a terminal', () => {
  test('shows a bar with bytes, rate and time left, redrawn in place and removed at the end', () => {
    const { progress, pass, written } = watch({ isTTY: true });
    const uploading = progress.start('Uploading', { bytes: 100 * MIB, items: 10 });
    pass(1_000);
    uploading.advance({ bytes: 25 * MIB, items: 2 });
    const line = written();
    expect(line.startsWith('\r')).toBe(true);
    expect(stripVTControlCharacters(line)).toContain('█');
    expect(stripVTControlCharacters(line)).toContain('25%  2/10 files  25 MiB/100 MiB  25 MiB/s  3 s left');
    uploading.finish('Uploaded 10 files.');
    expect(written()).toBe('\r\u001b[KUploaded 10 files.\n');
  });

  test('names the unit that it counts', () => {
    const { progress, pass, written } = watch({ isTTY: true });
    const drawing = progress.start('Drawing thumbnails', { items: 10, unit: 'assets' });
    pass(1_000);
    drawing.advance({ items: 4 });
    expect(stripVTControlCharacters(written())).toContain('40%  4/10 assets');
    drawing.stop();
  });

  test('prints a note on its own line and redraws the bar below it', () => {
    const { progress, pass, written } = watch({ isTTY: true });
    const fetching = progress.start('Fetching', { bytes: MIB });
    fetching.note('The hub asks to wait 40 s.');
    expect(written()).toBe('\r\u001b[KThe hub asks to wait 40 s.\n');
    pass(1_000);
    fetching.advance({ bytes: 1 });
    expect(written()).toMatch(/^\rFetching/);
    fetching.stop();
  });

  test('draws no line wider than the terminal', () => {
    const state = {
      label: 'Uploading',
      bytes: 1,
      items: 1,
      totalBytes: 10_000_000_000,
      totalItems: 1_000_000,
      unit: 'files',
    };
    for (const columns of [20, 40, 60, 80, 120]) {
      expect(drawLine(state, 1_000, columns).length).toBeLessThan(columns);
    }
  });
});

describe('progress without a bar', () => {
  test('prints a line without control characters every ten seconds outside a terminal', () => {
    const { progress, pass, written } = watch({ isTTY: false });
    const uploading = progress.start('Uploading', { bytes: 100 * MIB });
    for (let second = 0; second < 25; second++) {
      pass(1_000);
      uploading.advance({ bytes: MIB });
    }
    const lines = written().trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('Uploading 10%  10 MiB/100 MiB  1.0 MiB/s  1 min 30 s left');
  });

  test.each([{ quiet: true }, { json: true }])('prints nothing with %j', (options) => {
    const { progress, pass, written } = watch({ isTTY: true, ...options });
    const uploading = progress.start('Uploading', { bytes: 100 });
    pass(60_000);
    uploading.advance({ bytes: 100 });
    uploading.finish('Uploaded.');
    expect(written()).toBe('');
  });
});
