import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each([
  ['GET', '/namespaces/No_Slug'],
  ['GET', '/namespaces/ada/libraries/No%20Name'],
  ['GET', '/namespaces/ada/libraries/a%00b'],
  ['POST', '/namespaces/ada/libraries/No%20Name'],
  ['DELETE', '/namespaces/ada/libraries/No%20Name/purge'],
  ['POST', '/namespaces/No_Slug/libraries/robots/register'],
])('%s %s gets 404, since nothing can have that name', async (method, path) => {
  const ada = await service.member('ada');
  const { status, body } = await ada.send<{ error: string }>(method, path);
  expect([status, body.error]).toEqual([404, 'not_found']);
});

test.each(['upload-authorizations', 'register'])(
  '%s refuses an invalid name for a new library',
  async (action) => {
    const ada = await service.member('ada');
    const { status, body } = await ada.post(`/namespaces/ada/libraries/No%20Name/${action}`, {});
    expect([status, body.error, body.parameter]).toEqual([400, 'invalid_parameter', 'name']);
  },
);
