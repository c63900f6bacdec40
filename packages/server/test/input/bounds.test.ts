import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { allRoutes } from '@bindery/contract';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { doorBodies } from '../../src/doors/bodies.ts';
import { startService } from '../service.ts';

interface Schema extends Record<string, unknown> {
  $ref?: string;
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** Names every list and every free text of a schema that may be of any length. */
function unbounded(schema: Schema, resolve: (reference: string) => Schema, at: string): string[] {
  if (schema.$ref !== undefined) return unbounded(resolve(schema.$ref), resolve, at);
  const types = [schema.type].flat();
  const isFixed = ['enum', 'const', 'pattern', 'format'].some((rule) => rule in schema);
  return [
    ...(types.includes('array') && schema.maxItems === undefined ? [`list ${at}`] : []),
    ...(types.includes('string') && schema.maxLength === undefined && !isFixed ? [`text ${at}`] : []),
    ...(schema.items ? unbounded(schema.items, resolve, `${at}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      unbounded(member, resolve, `${at}.${name}`),
    ),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => unbounded(one, resolve, at)),
  ];
}

interface Operation {
  parameters?: { name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

test('every list in a body or query of the interface has a bound, and every text in a body', async () => {
  const text = await readFile(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (reference: string) => components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  const found: string[] = [];
  let bodies = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      for (const { name, schema } of parameters) {
        const lists = unbounded(schema, resolve, name).filter((one) => one.startsWith('list'));
        found.push(...lists.map((one) => `${method} ${path}: ${one}`));
      }
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        bodies++;
        found.push(...unbounded(schema, resolve, 'body').map((one) => `${method} ${path}: ${one}`));
      }
    }
  }
  expect(found).toEqual([]);
  expect(bodies).toBeGreaterThan(20);
});

test.each(Object.values(doorBodies))(
  'every list and every text in the body of $path has a bound',
  ({ body }) => {
    const { $defs = {}, ...schema } = z.toJSONSchema(body as z.ZodType, { io: 'input' }) as Schema & {
      $defs?: Record<string, Schema>;
    };
    expect(unbounded(schema, (reference) => $defs[reference.split('/').at(-1) ?? ''] ?? {}, 'body')).toEqual(
      [],
    );
  },
);

/** Routes of neither the interface nor a door's JSON that take a body, and how much of it they read. */
const OTHERS: Record<string, string> = {
  '/graphql': '128 KiB, then 2,000 tokens',
  '/mcp': '128 KiB',
  '/hf/api/validate-yaml': 'nothing is read',
  '/hf/uploads/:namespace/:name/:uploadId': 'nothing is read',
  '/app/session': 'nothing is read',
  '/v2': 'nothing is read',
  '/v2/*': 'nothing is read',
  '/s3': 'nothing is read',
  '/s3/*': 'nothing is read',
  '/git/:namespace/:library/git-upload-pack': '4 MiB of lines, at most 1,000 of them commits that are wanted',
  '/git/:namespace/:library/git-receive-pack': 'nothing is read',
  ...Object.fromEntries(
    ['/setup', '/sign-up', '/sign-in', '/sign-out', '/device'].map((form) => [form, '16 KiB of a form']),
  ),
};

test('every route outside of the interface that takes a body is known here', async () => {
  const routes: RouteOptions[] = [];
  const watch = (message: unknown) =>
    void (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => {
      routes.push(route);
    });
  subscribe('fastify.initialization', watch);
  const service = await startService();
  unsubscribe('fastify.initialization', watch);
  await service.close();

  const taking = routes.filter(({ method }) =>
    [method].flat().some((one) => ['POST', 'PUT', 'PATCH'].includes(one)),
  );
  const generic = (url: string) =>
    url
      .replace(/^\/hf\/api\/(models|datasets)\//, '/hf/api/:kind/')
      .replace(/^\/hf\/(models|datasets)\/:/, '/hf/:');
  const known = [...allRoutes, ...Object.values(doorBodies)].map(({ path }) => path);
  const urls = taking.map(({ url }) => url);
  expect(urls.filter((url) => !known.includes(generic(url)) && !(generic(url) in OTHERS))).toEqual([]);
  expect(taking.length).toBeGreaterThan(60);
});
