import { isIP } from 'node:net';
import { z } from 'zod';

/** Named networks, allowed besides addresses and CIDR blocks. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

const LAST_PORT = 65_535;

interface Range {
  min: number;
  max?: number;
  /** How many of what the program counts one is. */
  unit?: number;
}

export function whole({ min, max, unit = 1 }: Range) {
  const most = max ?? Number.MAX_SAFE_INTEGER;
  const isWithin = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= most;
  return z
    .string()
    .refine(isWithin, { error: ruleOf({ min, max }) })
    .transform((text) => Number(text) * unit);
}

/** An integer, null for `off`, or one of a few other words. `of` says what the number counts. */
export function wholeOrOff<const Words extends string[]>(of: string, range: Range, ...words: Words) {
  const allowed = [...words, 'off'].map((word) => `"${word}"`).join(' or ');
  return z.union([z.enum(words), z.literal('off').transform(() => null), whole(range)], {
    error: `${ruleOf(range)} (${of}), or ${allowed}`,
  });
}

export function onOrOff() {
  return oneOf('on', 'off').transform((word) => word === 'on');
}

/** Null if it is not set. */
export function optional<Rule extends z.ZodType>(rule: Rule) {
  return rule.nullable().default(null);
}

function ruleOf({ min, max }: { min: number; max?: number | undefined }): string {
  return max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
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

/** By the name that the program has for each setting: its variable, its rule, and whether a message must not repeat it. */
export type Rules = Readonly<
  Record<string, readonly [variable: string, rule: z.ZodType, secrecy?: 'secret']>
>;

export type ReadBy<Of extends Rules> = { -readonly [Name in keyof Of]: z.output<Of[Name][1]> };

/** Throws `ConfigurationError` for the first value that its rule does not allow. */
export function readByRules<Of extends Rules>(rules: Of, set: Record<string, string | undefined>) {
  const read = Object.entries(rules).map(([name, [variable, rule, secrecy]]) => {
    const { success, data, error } = rule.safeParse(set[variable]);
    if (success) return [name, data];
    const found = secrecy === 'secret' ? '' : foundValue(String(set[variable]));
    throw new ConfigurationError(`${variable}: it must be ${error.issues[0]?.message}${found}.`);
  });
  return Object.fromEntries(read) as ReadBy<Of>;
}

/** A setting that cannot be used; the message names the variable, its rule and the value that was found. */
export class ConfigurationError extends Error {}

/** Repeats a value in a message, without the password of a URL. */
export function foundValue(value: string): string {
  return ` (found ${JSON.stringify(value.replace(/\/\/.*@/, '//***@').slice(0, 80))})`;
}
