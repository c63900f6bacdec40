import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../server/test/service.ts';
import { createTerminalUser } from './command-line.ts';

const run = promisify(execFile);
const PYTHON = join(import.meta.dirname, '../../../python');
const mesh = (name: string) =>
  `<link name="${name}"><visual><geometry><mesh filename="meshes/${name}.obj"/></geometry></visual></link>`;
const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

test('a robot without its meshes is shown as incomplete by info and Python, until a push brings them', async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const { headers } = await service.member('ada');
  const someone = await createTerminalUser(service.url);
  onTestFinished(() => someone.dispose());
  const ada = someone.with({ BINDERY_TOKEN: headers.authorization?.replace('Bearer ', '') ?? '' });
  const folder = join(ada.home, 'robots');
  await mkdir(join(folder, 'arm/meshes'), { recursive: true });
  await writeFile(join(folder, 'arm/arm.urdf'), `<robot name="arm">${mesh('base')}${mesh('hand')}</robot>`);
  const push = async () =>
    expect(await ada.run('library', 'push', folder, 'ada/robots', '--yes')).toMatchObject({ code: 0 });
  const info = async () => (await ada.run('library', 'info', 'ada/robots/arm')).stdout;
  const inspect = async () => {
    const script = 'import bindery; print(bindery.inspect("ada/robots/arm").missing)';
    const { stdout } = await run('python3', ['-c', script], {
      env: { ...ada.environment, PYTHONPATH: PYTHON },
    });
    return stdout.trim();
  };

  await push();
  expect(await info()).toMatch(/\nincomplete +2 files that it names are missing \(meshes\/base\.obj, …\)\n/);
  expect(await inspect()).toBe("MissingFiles(total=2, names=('meshes/base.obj', 'meshes/hand.obj'))");

  await writeFile(join(folder, 'arm/meshes/base.obj'), CUBE);
  await push();
  expect(await info()).toMatch(/\nincomplete +a file that it names is missing \(meshes\/hand\.obj\)\n/);

  await writeFile(join(folder, 'arm/meshes/hand.obj'), CUBE);
  await push();
  expect(await info()).not.toContain('incomplete');
  expect(await inspect()).toBe('None');
});
