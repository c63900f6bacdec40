import type { Manifest, ManifestAsset } from '@bindery/contract';
import { expect, test } from 'vitest';
import { lostThumbnails } from '../../src/push/carry.ts';

const DRAWN = '.bindery/thumbs/arm.webp';

test('a generated thumbnail counts as lost only if its asset stays and has no other', () => {
  const before = manifest([asset('arm', DRAWN), asset('hand', 'hand/thumbnail.png')], [DRAWN]);
  expect(lostThumbnails(before, manifest([asset('arm'), asset('hand')]))).toBe(1);
  expect(lostThumbnails(before, manifest([asset('arm', 'arm/thumbnail.png')]))).toBe(0);
  expect(lostThumbnails(before, manifest([asset('hand')]))).toBe(0);
});

function manifest(assets: ManifestAsset[], generated: string[] = []): Manifest {
  return { schema: 'bindery.assets/v1', assets, generated };
}

function asset(id: string, thumbnail?: string): ManifestAsset {
  return { id, files: [], ...(thumbnail === undefined ? {} : { thumbnail }) };
}
