import { isIP } from 'node:net';
import { z } from 'zod';

/** Named networks, allowed besides addresses and CIDR blocks. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

const LAST_PORT = 65_535;

interface Range {
  min: number;
  max?: number;
}

export function whole({ min, max }: Range) {
  return numberWithin({ min, max: max ?? Number.MAX_SAFE_INTEGER }, ruleOf({ min, max }));
}

/** An integer, or one of a few words, such as `off`. `of` says what the number counts. */
export function wholeOr<const Words extends string[]>(of: string, range: Range, ...words: Words) {
  const rule = `${ruleOf(range)} (${of}), or ${words.map((word) => `"${word}"`).join(' or ')}`;
  return z.union([z.enum(words), whole(range)], { error: rule });
}

function ruleOf({ min, max }: { min: number; max?: number | undefined }): string {
  return max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
}

function numberWithin({ min, max }: Required<Range>, error: string) {
  const isWithin = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z.string().refine(isWithin, { error }).transform(Number);
}

export function oneOf<const Values extends string[]>(...values: Values) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

/** An address or a host name; IPv6 with or without brackets. */
export function host() {
  return z
    .string()
    .transform(withoutBrackets)
    .refine((name) => isIP(name) > 0 || /^[\w.-]+$/.test(name), {
      error: 'an address or a host name, without a port',
    });
}

/** A host with a port; IPv6 in brackets. */
export function hostAndPort() {
  return z
    .string()
    .transform((text) => {
      const [, name = '', port = ''] = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5})$/.exec(text) ?? [];
      return { host: withoutBrackets(name), port: port === '' ? Number.NaN : Number(port) };
    })
    .refine(({ host, port }) => port <= LAST_PORT && (isIP(host) > 0 || /^[\w.-]+$/.test(host)), {
      error: 'an address with a port, such as 127.0.0.1:9464 or [::1]:9464',
    });
}

function withoutBrackets(name: string): string {
  const inner = /^\[(.+)\]$/.exec(name)?.[1];
  return inner !== undefined && isIP(inner) === 6 ? inner : name;
}

/** An origin, as a URL without anything else. */
export function origin() {
  return z
    .string()
    .refine((text) => /^https?:\/\//i.test(text) && isOrigin(text), {
      error:
        'an http:// or https:// URL without a path, query or user, because the service answers at the root of its origin',
    })
    .transform((text) => new URL(text).origin);
}

/** Whether a text is a URL with nothing but a scheme, a host and a port. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { pathname, search, hash, username, password } = new URL(text);
  return /^\/*$/.test(pathname) && `${search}${hash}${username}${password}` === '';
}

/** Whether a text is the URL below which a service answers. */
export function isEndpoint(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { search, hash, username, password } = new URL(text);
  return `${search}${hash}${username}${password}` === '';
}

/** What the URL of a search engine looks like, for messages. */
export const SEARCH_URL =
  'a URL such as https://user:password@search.internal:9200; http:// only for 127.0.0.1, [::1] or localhost';

/** Whether a text is the URL of a search engine. What is searched of private libraries crosses a network encrypted. */
export function isSearchUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  if (pathname !== '/' || `${search}${hash}` !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** What the URL of a database looks like, for messages. */
export const POSTGRES_URL =
  'a URL such as postgres://user:password@host/database, in which special characters of the password are percent-encoded';

/** Whether a text is the URL of a PostgreSQL database. An `@` after the host is a sign of a password that ended early. */
export function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/./.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  if (hash !== '' || `${pathname}${search}`.includes('@')) return false;
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** A comma-separated list of at least one entry, each of which must satisfy `isValid`. */
export function listOf(isValid: (entry: string) => boolean, error: string) {
  return z
    .string()
    .transform(split)
    .refine((entries) => entries.length > 0 && entries.every(isValid), {
      error: `${error}, separated by commas`,
    })
    .default([]);
}

/** Origins separated by commas, of which a host may begin with `*.`; or one of a few words. */
export function originsOr<const Words extends string[]>(...words: Words) {
  const rule = `${words.join(', ')}, or origins such as https://wiki.example.org, separated by commas`;
  const isWebOrigin = (text: string) => /^https?:\/\/(?:\*\.)?[^*\s;']+$/i.test(text) && isOrigin(text);
  return z.union([z.enum(words), listOf(isWebOrigin, rule).unwrap()], { error: rule });
}

/** Hosts, of which one may begin with `*.` for all below it. */
export function hostPatterns(most: number) {
  const rule = `at most ${most} hosts such as github.com or *.hf.co`;
  return listOf((entry) => isIP(entry) > 0 || /^(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(entry), rule)
    .transform((hosts) => hosts.map((entry) => entry.toLowerCase()))
    .refine((hosts) => hosts.length <= most, { error: rule });
}

export function networkList() {
  return listOf(isNetwork, `addresses, CIDR blocks or ${NAMED_NETWORKS.join(', ')}`);
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  if (NAMED_NETWORKS.includes(entry)) return true;
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && (bits === undefined ? longest > 0 : /^\d+$/.test(bits) && Number(bits) <= longest)
  );
}

/** A setting that cannot be used; the message names the variable, its rule and the value that was found. */
export class ConfigurationError extends Error {}

/** Repeats a value in a message, without the password of a URL. */
export function foundValue(value: string): string {
  return ` (found ${JSON.stringify(value.replace(/\/\/.*@/, '//***@').slice(0, 80))})`;
}
