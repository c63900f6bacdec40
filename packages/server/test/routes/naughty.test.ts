import { allRoutes, type Route } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { operator } from '../admin/operators.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { bodyFor, encode, fill, type Identifiers, keysOf, parameterNames } from './fill.ts';

/** Texts that break programs: empty, huge, escapes, other alphabets, numbers out of range, names of prototypes. */
const NAUGHTY = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '..',
  '../../etc/passwd',
  '%00',
  '%',
  "' or 1=1; --",
  '"; drop table libraries; --',
  '\\',
  '{{7*7}}<%= 7*7 %>',
  '__proto__',
  'constructor',
  'NaN',
  '-1',
  '1e309',
  '9223372036854775808',
  '\r\nX-Injected: yes',
  '\u2028\u202e\ufeff',
  '\ud800',
  '田中さん',
  '👩‍👩‍👧‍👦',
  'Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠k',
  'x'.repeat(5_000),
];

const NOT_TEXT = [null, true, -1, 0.5, 1e308, [], {}, [[]], [null], { a: { b: {} } }];

describe.each(databases)('no input makes the service fail over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let operating: Actor;
  let real: Identifiers;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    operating = await operator(service, 'olga');
    const robots = new Publisher(ada, 'ada', 'robots');
    await robots.publish({ 'a/b.txt': 'x' });
    await ada.post(`${robots.path}/releases`, { name: 'v1' });
    await ada.post('/namespaces/ada/projects', { displayName: 'Lab', slug: 'lab' });
    const { body: note } = await ada.post('/namespaces/ada/notes', { name: 'Plan', projects: ['lab'] });
    const { body: bindr } = await ada.post('/namespaces/ada/projects/lab/bindrs', { name: 'Shelf' });
    const { body: hook } = await ada.post('/namespaces/ada/webhooks', {
      url: 'https://receiver.invalid/hook',
    });
    real = {
      namespace: 'ada',
      name: 'robots',
      assetId: 'a',
      release: 'v1',
      revision: '1',
      proposal: '1',
      uploadId: 'none',
      userName: 'ada',
      id: 'none',
      projectSlug: 'lab',
      noteId: String(note.id),
      bindrId: String(bindr.id),
      nodeId: String(note.id),
      webhookId: String(hook.id),
      invitationId: 'none',
      deliveryId: 'none',
    };
  });
  afterAll(() => service.close());

  /** Routes that remove come last, so that the others find what they work on. */
  const routes = [...allRoutes].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

  test.each(routes.map((route): [string, Route] => [`${route.method} ${route.path}`, route]))(
    '%s',
    async (_, route) => {
      const requests = [...wrongParameters(route), ...wrongQueries(route), ...wrongBodies(route)];
      const failed: unknown[] = [];
      for (let at = 0; at < requests.length; at += 8) {
        await Promise.all(
          requests.slice(at, at + 8).map(async ({ path, body }) => {
            const sender = route.path.startsWith('/admin/') ? operating : ada;
            const { status, headers } = await sender.send(route.method, path, body);
            if (status >= 500 || headers.has('x-injected')) failed.push({ status, path, body });
          }),
        );
      }
      expect(failed).toEqual([]);
      if (route.authentication !== 'public') {
        const sender = route.path.startsWith('/admin/') ? operating : ada;
        const { body } = withBody(route);
        const answer = await sender.send(route.method, `${fill(route.path, real)}?unknown=1`, body);
        expect(answer.status).toBeGreaterThanOrEqual(400);
      }
      expect(requests.length).toBeGreaterThan(0);
    },
  );

  interface Attempt {
    path: string;
    body?: unknown;
  }

  function withBody(route: Route): { body?: unknown } {
    const body = bodyFor(route);
    return body === null ? {} : { body };
  }

  function wrongParameters(route: Route): Attempt[] {
    return parameterNames(route.path).flatMap((name) =>
      NAUGHTY.map((value) => ({ path: fill(route.path, { ...real, [name]: value }), ...withBody(route) })),
    );
  }

  function wrongQueries(route: Route): Attempt[] {
    const path = fill(route.path, real);
    return [...keysOf(route.query), 'unknown'].flatMap((key) => [
      ...NAUGHTY.map((value) => ({ path: `${path}?${key}=${encode(value)}`, ...withBody(route) })),
      { path: `${path}?${key}=1&${key}=2`, ...withBody(route) },
      { path: `${path}?${key}[x]=1`, ...withBody(route) },
    ]);
  }

  function wrongBodies(route: Route): Attempt[] {
    if (route.method === 'GET') return [];
    const path = fill(route.path, real);
    const valid = bodyFor(route) as Record<string, unknown> | null;
    const values = [...NAUGHTY, ...NOT_TEXT];
    const replaced = [...keysOf(route.body), ...NAUGHTY].flatMap((key) =>
      values
        .slice(0, NAUGHTY.includes(key) ? 1 : undefined)
        .map((value) => ({ path, body: { ...valid, [key]: value } })),
    );
    const whole = ['{', '[', 'x', '"x', '{"a":1,"a":2}', `${'['.repeat(50_000)}${']'.repeat(50_000)}`].map(
      (body) => ({
        path,
        body,
      }),
    );
    return [...replaced, ...values.map((body) => ({ path, body: JSON.stringify(body) })), ...whole];
  }
});
