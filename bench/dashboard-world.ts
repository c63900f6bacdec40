import { publish, type WrittenAsset } from '../packages/server/test/libraries/publish.ts';
import type { TestService } from '../packages/server/test/service.ts';

const ASSETS = 5_000;

/** Publishes what the pages show: `bench/many` with 5,000 assets. */
export async function publishPages(service: TestService): Promise<void> {
  const bench = await service.member('bench');
  await publish(bench, 'bench/many', { visibility: 'public', assets: manyAssets() });
}

const CUBE = { 'cube.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' };

function manyAssets(): WrittenAsset[] {
  return Array.from({ length: ASSETS }, (_, at) => ({
    id: `part-${String(at).padStart(4, '0')}`,
    title: `Part ${at}`,
    description: `Number ${at} of many parts of one machine`,
    kind: at % 2 === 0 ? 'mesh' : 'urdf',
    tags: [`row-${at % 20}`],
    license: at % 3 === 0 ? 'MIT' : 'Apache-2.0',
    files: CUBE,
  }));
}
