import { Writable } from 'node:stream';
import pino from 'pino';
import { expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { changeQuota } from '../../src/administration/namespaces.ts';
import { terminalLine } from '../../src/process/log.ts';
import { startService } from '../service.ts';

test('the log has the request id and cause of a server error, and no secret of any request', async () => {
  const lines: string[] = [];
  const keep = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const service = await startService({ log: pino({ level: 'trace' }, keep) });
  try {
    const ada = await service.member('ada');
    const secrets = ['bnd_SECRETTOKEN', 'SECRETSHARE', 'SECRETSIGNATURE', 'SECRETBODY', 'SECRETCOOKIE'];
    const someone = service.anonymous.with({
      authorization: `Bearer ${secrets[0]}`,
      cookie: `s=${secrets[4]}`,
    });
    await someone.get(`/namespaces/ada/libraries/robots?share=${secrets[1]}`);
    await service.anonymous.get(`/namespaces/ada/libraries/robots?share=${secrets[1]}`);
    await service.anonymous.get(`/storage/o/x?signature=${secrets[2]}`);
    await service.anonymous.get(`/setup?token=${secrets[2]}`);
    await ada.post('/namespaces', { slug: secrets[3] });
    await service.context.db.schema.dropTable('spent_tokens').execute();
    await service.context.db.schema.dropTable('personal_access_tokens').execute();
    const broken = await ada.get<{ requestId: string }>(`/namespaces?x=${secrets[1]}`);
    expect(broken.status).toBe(500);
    expect(broken.body).toMatchObject({ error: 'internal' });

    const log = lines.join('');
    expect(log).toContain(broken.body.requestId);
    expect(log).toContain('no such table');
    expect(JSON.stringify(broken.body)).not.toContain('table');
    for (const secret of [...secrets, ada.headers.authorization?.split(' ')[1] ?? 'none']) {
      expect(log).not.toContain(secret);
    }
  } finally {
    await service.close();
  }
});

test('a server that was asked to stop does not log that it says so as a failure', async () => {
  const lines: string[] = [];
  const keep = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const service = await startService({ log: pino({ level: 'info' }, keep) });
  await service.drain();
  expect((await service.anonymous.get('/readyz')).status).toBe(503);
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)).toEqual([]);
  await service.close();
});

test('a push that a quota refuses is not logged as a failure', async () => {
  const lines: string[] = [];
  const keep = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const service = await startService({ log: pino({ level: 'info' }, keep) });
  try {
    const ada = await service.member('ada');
    await changeQuota(service.context, MACHINE, { namespace: 'ada' }, { bytes: 10 });
    const files = [{ relativePath: 'mug/mug.txt', size: 11 }];
    const refused = await ada.post('/namespaces/ada/libraries/mugs/upload-authorizations', { files });
    expect(refused).toMatchObject({ status: 507, body: { error: 'quota_exceeded' } });
    expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)).toEqual([]);
  } finally {
    await service.close();
  }
});

test('a log line on a terminal is short, and an error is printed with its stack', () => {
  const time = '2026-01-02T03:04:05.678Z';
  expect(terminalLine({ level: 'info', time, msg: 'request', status: 200, path: '/libraries' })).toBe(
    '03:04:05 info  request status=200 path=/libraries',
  );
  expect(terminalLine({ level: 'error', time, msg: 'failed', err: { stack: 'Error: x\n    at y' } })).toBe(
    '03:04:05 error failed\nError: x\n    at y',
  );
});
