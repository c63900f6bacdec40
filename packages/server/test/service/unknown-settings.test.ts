import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unknownSettings } from '../../src/configuration/configuration.ts';

test('an unknown setting is reported with the most similar known one', () => {
  const variables = { BINDERY_PORT: '1', BINDERY_LOGLEVEL: 'info', BINDERY_ENCODR: 'off', PATH: '' };
  expect(unknownSettings(variables)).toEqual([
    { name: 'BINDERY_ENCODR', nearest: 'BINDERY_ENCODER' },
    { name: 'BINDERY_LOGLEVEL', nearest: 'BINDERY_LOG_LEVEL' },
  ]);
});

test('every setting named in the documentation is known', () => {
  const pages = ['cli', 'self-hosting', 'encoders', 'security'].map((page) =>
    readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8'),
  );
  const named = pages.join().match(/\bBINDERY_[A-Z_]+\b/g) ?? [];
  expect(unknownSettings(Object.fromEntries(named.map((name) => [name, 'x'])))).toEqual([]);
});
