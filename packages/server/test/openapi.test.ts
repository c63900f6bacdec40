import { readFile } from 'node:fs/promises';
import { allRoutes } from '@bindery/contract';
import { expect, test } from 'vitest';
import { openApiText } from '../src/views/openapi/document.ts';

test('docs/openapi.json matches the contract (npm run openapi updates it)', async () => {
  const committed = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
  expect(committed).toBe(await openApiText());
});

test('the OpenAPI document describes every route exactly once', async () => {
  const { paths } = JSON.parse(await openApiText()) as { paths: Record<string, Record<string, object>> };
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = allRoutes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(described.sort()).toEqual(served.sort());
});

test('every reference in the OpenAPI document resolves, and every operation has a unique id', async () => {
  const text = await openApiText();
  const document = JSON.parse(text) as {
    components: { schemas: Record<string, object> };
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
  expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
  expect(references.length).toBeGreaterThan(20);
  const names = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ['GET', '/namespaces/{namespace}/libraries/{name}', '500', 'content_lost'],
  ['GET', '/namespaces/{namespace}/libraries/{name}/manifest', '500', 'content_lost'],
  ['GET', '/namespaces/{namespace}/libraries/{name}/assets/{assetId}', '500', 'content_lost'],
  ['GET', '/namespaces/{namespace}/libraries/{name}/search', '500', 'content_lost'],
  ['GET', '/namespaces/{namespace}/libraries/{name}/facets', '500', 'content_lost'],
  ['POST', '/namespaces/{namespace}/libraries/{name}/files-presign', '500', 'content_lost'],
  ['DELETE', '/namespaces/{namespace}/libraries/{name}', '412', 'precondition_failed'],
  ['POST', '/namespaces', '507', 'storage_full'],
])('the OpenAPI document says that %s %s can answer %s %s', async (method, path, status, code) => {
  const { paths } = JSON.parse(await openApiText());
  expect(paths[path][method.toLowerCase()].responses[status].description).toContain(`\`${code}\``);
});
