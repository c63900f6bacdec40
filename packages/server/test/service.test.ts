import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from './databases.ts';
import { startService, type TestService } from './service.ts';

describe.each(databases)('the service over $name', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open() });
  });
  afterAll(() => service.close());

  test('reports that it is healthy, with a request id', async () => {
    const { status, headers, body } = await service.anonymous.get('/healthz');
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('returns a coded 404 error for an unknown path', async () => {
    const { status, headers, body } = await service.anonymous.get('/no-such-thing');
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: 'not_found', requestId: headers.get('x-request-id') });
  });
});
