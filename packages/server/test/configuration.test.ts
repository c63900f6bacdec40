import { expect, test } from 'vitest';
import { ConfigurationError, readConfiguration, SETTINGS } from '../src/configuration/configuration.ts';

const ISSUER = { BINDERY_OIDC_ISSUER: 'https://id.example.org' };

test.each([
  ['BINDERY_HOST', 'https://127.0.0.1'],
  ['BINDERY_HOST', '127.0.0.1:7420'],
  ['BINDERY_PORT', '99999'],
  ['BINDERY_PORT', ' '],
  ['BINDERY_PORT', '0x10'],
  ['BINDERY_PUBLIC_URL', 'not a url'],
  ['BINDERY_PUBLIC_URL', 'https://example.com/bindery'],
  ['BINDERY_PUBLIC_URL', 'https://example.com?here'],
  ['BINDERY_SIGNUP', 'sometimes'],
  ['BINDERY_OBJECTS', 's3://Robotics'],
  ['BINDERY_OBJECTS', 's3://robotics/../others'],
  ['BINDERY_RATE_LIMIT', '-3'],
  ['BINDERY_MAX_DELAY_MS', '0'],
  ['BINDERY_METRICS', '9464'],
  ['BINDERY_METRICS', '::1'],
  ['BINDERY_METRICS', '127.0.0.1:99999'],
  ['BINDERY_LOG_LEVEL', 'loud'],
  ['BINDERY_TRUSTED_PROXIES', 'everyone'],
  ['BINDERY_OIDC_ISSUER', 'id.example.org'],
  ['BINDERY_OIDC_NAME', 'A'.repeat(61)],
  ['BINDERY_OIDC_DOMAINS', '@example.org'],
  ['BINDERY_OIDC_GROUPS', ','],
])('rejects %s set to "%s", and names setting, rule and value', (name, value) => {
  const reading = () => readConfiguration({ ...ISSUER, [name]: value });
  expect(reading).toThrow(ConfigurationError);
  expect(reading).toThrow(`${name}: it must be `);
  expect(reading).toThrow(`(found ${JSON.stringify(value)}).`);
});

test.each([
  ['BINDERY_RATE_LIMIT', 'an integer of at least 1 (requests per minute), or "off"'],
  ['BINDERY_MAX_UNREGISTERED_GIB', 'an integer of at least 1 (GiB), or "half" or "off"'],
])('the rule of %s includes the words that it can be', (name, rule) => {
  expect(() => readConfiguration({ [name]: 'some' })).toThrow(`${name}: it must be ${rule} (found "some").`);
});

test.each([
  'mysql://x',
  'postgres://ada:hush#1@db/bindery',
  'postgres://ada:1#hush@db/bindery',
  'postgres://ada:1/hush@db/bindery',
  'postgres://ada:hush%zz@db/bindery',
  'postgres://ada:hush@db:99999/bindery',
])('rejects the database URL %s without repeating any of it', (url) => {
  const reading = () => readConfiguration({ BINDERY_DATABASE_URL: url });
  expect(reading).toThrow(/^BINDERY_DATABASE_URL: it must be a URL such as postgres:/);
  expect(reading).not.toThrow(/hush|mysql|99999/);
});

test.each([
  'http://ada:hush@search.internal:9200',
  'https://ada:hush@search.internal/path',
  'ftp://ada:hush@localhost',
  'ada:hush',
])('rejects the URL %s of a search engine without repeating any of it', (url) => {
  const reading = () => readConfiguration({ BINDERY_SEARCH: url });
  expect(reading).toThrow(/^BINDERY_SEARCH: it must be a URL such as https:/);
  expect(reading).not.toThrow(/hush/);
});

test.each(['https://ada:hush@search.internal:9200', 'http://127.0.0.1:9200', 'http://[::1]:9200'])(
  'takes the URL %s of a search engine',
  (url) => expect(readConfiguration({ BINDERY_SEARCH: url }).searchEngine).toBe(url),
);

test('no malformed value of any setting is repeated with the password of a URL, or fails without naming the setting', () => {
  for (const name of SETTINGS) {
    for (const value of ['https://ada:hush@example.org/path', ' ', ',', '::1', '\u0000', 'x'.repeat(100)]) {
      try {
        readConfiguration({ [name]: value });
      } catch (error) {
        expect(error, `${name}=${value}`).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain(name);
        expect(String(error)).not.toContain('hush');
      }
    }
  }
});

test.each([
  ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
  ['metrics.internal:9464', { host: 'metrics.internal', port: 9464 }],
])('metrics can be served at %s', (value, metricsAddress) => {
  expect(readConfiguration({ BINDERY_METRICS: value })).toMatchObject({ metricsAddress });
});

test('an IPv6 address to listen on can have brackets, and a public URL may end with a slash', () => {
  expect(readConfiguration({ BINDERY_HOST: '[::1]' }).host).toBe('::1');
  const url = 'https://example.com:8443';
  expect(readConfiguration({ BINDERY_PUBLIC_URL: `${url}/` }).publicUrl).toBe(url);
});

test.each([
  ['BINDERY_OIDC_ISSUER', { BINDERY_OIDC_CLIENT_SECRET: 'hush' }],
  ['BINDERY_OIDC_ISSUER', { BINDERY_OIDC_DOMAINS: 'example.org' }],
  ['BINDERY_OIDC_CLIENT_ID', { ...ISSUER, BINDERY_OIDC_CLIENT_SECRET: 'hush' }],
  ['BINDERY_OIDC_CLIENT_SECRET', { ...ISSUER, BINDERY_OIDC_CLIENT_ID: 'bindery' }],
  ['AWS_SECRET_ACCESS_KEY', { BINDERY_OBJECTS: 's3://robotics', AWS_ACCESS_KEY_ID: 'key' }],
  ['AWS_ACCESS_KEY_ID', { BINDERY_OBJECTS: 's3://robotics', AWS_SECRET_ACCESS_KEY: 'hush' }],
  ['AWS_SESSION_TOKEN', { BINDERY_OBJECTS: 's3://robotics', AWS_SESSION_TOKEN: 'hush' }],
])('names %s as missing or in vain if the settings are %j', (name, variables) => {
  const reading = () => readConfiguration(variables as Record<string, string>);
  expect(reading).toThrow(ConfigurationError);
  expect(reading).toThrow(new RegExp(`^${name}: .*needs`));
  expect(reading).not.toThrow('hush');
});

test('the endpoint of a bucket must be an origin, and its message hides a password', () => {
  const reading = () =>
    readConfiguration({
      BINDERY_OBJECTS: 's3://robotics',
      AWS_ENDPOINT_URL_S3: 'https://ada:hush@s3.example',
    });
  expect(reading).toThrow('AWS_ENDPOINT_URL_S3: it must be an http:// or https:// URL');
  expect(reading).not.toThrow('hush');
});
