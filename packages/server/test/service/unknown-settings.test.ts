import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unknownSettings } from '../../src/unknown-settings.ts';

test('a setting that is none is named with the one that is written most like it', () => {
  const variables = { BINDERY_PORT: '1', BINDERY_LOGLEVEL: 'info', BINDERY_ENCODR: 'off', PATH: '' };
  expect(unknownSettings(variables)).toEqual([
    { name: 'BINDERY_ENCODR', nearest: 'BINDERY_ENCODER' },
    { name: 'BINDERY_LOGLEVEL', nearest: 'BINDERY_LOG_LEVEL' },
  ]);
});

test('no setting that the documentation names is unknown', () => {
  const pages = ['cli', 'self-hosting', 'encoders', 'security'].map((page) =>
    readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8'),
  );
  const named = pages.join().match(/\bBINDERY_[A-Z_]+\b/g) ?? [];
  expect(unknownSettings(Object.fromEntries(named.map((name) => [name, 'x'])))).toEqual([]);
});
