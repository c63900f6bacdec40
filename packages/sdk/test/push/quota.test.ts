import { expect, test } from 'vitest';
import { operator } from '../../../server/test/admin/operators.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder } from '../folder.ts';
import { ADDRESS, type Publisher, publishersAt, serviceForOneTest, type Watch } from './publisher.ts';

const sent = ({ requests }: Publisher) => requests.filter((request) => request === 'PUT bytes').length;

test('a push that a quota stopped at its end sends nothing again once there is room', async () => {
  const service = await serviceForOneTest();
  const [ann] = (await publishersAt(service, 1)) as [Publisher];
  const olga = await operator(service, 'olga');
  const limit = (bytes: number | null) => olga.patch('/admin/namespaces/ann/quota', { bytes });
  const folder = folderWith(
    Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`arm/${at}.bin`, `part ${at}`.padStart(1_000)]),
    ),
  );
  const lowerBeforeRegister: Watch = async ({ url }) => {
    if (url.endsWith('/register')) await limit(1_000);
  };
  ann.watch = lowerBeforeRegister;
  await expect(ann.push(folder)).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect(sent(ann)).toBe(51);
  ann.watch = null;
  ann.requests.length = 0;
  await limit(null);
  expect(await ann.push(folder)).toMatchObject({ status: 'published', revision: 1 });
  expect(sent(ann)).toBe(0);
  await pullLibrary(ann.client, ADDRESS, temporaryFolder(), ann.options);
});
