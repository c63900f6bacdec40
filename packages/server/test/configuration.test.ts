import { expect, test } from 'vitest';
import { ConfigurationError, readConfiguration } from '../src/configuration.ts';

test.each([
  ['BINDERY_PORT', '99999'],
  ['BINDERY_PUBLIC_URL', 'not a url'],
  ['BINDERY_SIGNUP', 'sometimes'],
  ['BINDERY_RATE_LIMIT', '-3'],
  ['BINDERY_MAX_DELAY_MS', '0'],
  ['BINDERY_METRICS', '9464'],
  ['BINDERY_LOG_LEVEL', 'loud'],
  ['BINDERY_DATABASE_URL', 'mysql://x'],
  ['BINDERY_TRUSTED_PROXIES', 'everyone'],
])(
  'rejects %s set to "%s" by name, and repeats the value unless it could contain a password',
  (name, value) => {
    const reading = () => readConfiguration({ [name]: value });
    expect(reading).toThrow(ConfigurationError);
    expect(reading).toThrow(`${name}: it must be `);
    const repeated = expect(reading);
    if (name === 'BINDERY_DATABASE_URL') repeated.not.toThrow(value);
    else repeated.toThrow(value);
  },
);
