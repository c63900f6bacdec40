import { routes } from '@bindery/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('every link in /llms.txt and the API catalog resolves', async () => {
  const text = await (await fetch(`${service.url}/llms.txt`)).text();
  expect(text).toMatch(/^# Bindery\n\n> /);
  const answer = await fetch(`${service.url}/.well-known/api-catalog`);
  expect(answer.headers.get('content-type')).toMatch(/^application\/linkset\+json/);
  const links = [...text.matchAll(/\]\((\S+)\)/g), ...(await answer.text()).matchAll(/"href":"([^"]+)"/g)];
  expect(links.length).toBeGreaterThan(5);
  for (const [, url = ''] of links) {
    const { status } = await fetch(url);
    // What takes POST alone is there too.
    expect([url, status === 405 ? 200 : status]).toEqual([url, 200]);
  }
});

test('the routes listed in /llms.txt are routes of the service', async () => {
  const text = await (await fetch(`${service.url}/llms.txt`)).text();
  const told = [...text.matchAll(/`GET (\/[^`?]*)/g)].map(([, path]) => path);
  const known = Object.values(routes).flatMap((group) => Object.values(group).map(({ path }) => path));
  expect(told).toHaveLength(3);
  expect(told.filter((path) => !known.includes(path ?? ''))).toEqual([]);
});

test('/llms.txt and the API catalog name the doors of other clients', async () => {
  const text = await (await fetch(`${service.url}/llms.txt`)).text();
  for (const door of ['/raw/', '/hf', '/s3', '/1.0/', '/usdsearch'])
    expect(text).toContain(`${service.url}${door}`);
  const catalog = (await (await fetch(`${service.url}/.well-known/api-catalog`)).json()) as {
    linkset: { anchor: string }[];
  };
  const anchors = catalog.linkset.map(({ anchor }) => anchor);
  expect(anchors).toEqual(
    expect.arrayContaining(
      ['/raw/', '/hf', '/s3/', '/v2/', '/1.0/', '/blender/', '/usdsearch'].map((door) => service.url + door),
    ),
  );
});
