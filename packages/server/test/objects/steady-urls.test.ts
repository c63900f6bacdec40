import { describe, expect, test } from 'vitest';
import { PresignedUrls } from '../../src/adapters/objects/disk/presigned-urls.ts';

const OBJECT = { storeId: 'lab', sha256: 'a'.repeat(64) };

/** The second at which a window of five minutes begins. */
const START = 1_795_000_200;

function presign(second: number, ttlSeconds: number): { url: string; lifetime: number } {
  const url = new PresignedUrls(Buffer.from('secret'), () => second * 1_000).get(
    OBJECT,
    'arm.glb',
    ttlSeconds,
  );
  return { url, lifetime: Number(/expires=(\d+)/.exec(url)?.[1]) - second };
}

describe('the URL of a download', () => {
  test('is the same for five minutes, and lives at least as long as granted', () => {
    const urls = new Set<string>();
    for (let second = START + 1; second <= START + 300; second++) {
      const { url, lifetime } = presign(second, 900);
      urls.add(url);
      expect(lifetime).toBeGreaterThanOrEqual(900);
      expect(lifetime).toBeLessThan(1_200);
    }
    expect(urls.size).toBe(1);
    expect(urls.has(presign(START + 301, 900).url)).toBe(false);
  });

  test.each([60, 600])('lives exactly %i seconds where so few were asked for', (ttl) => {
    expect(presign(START + 17, ttl).lifetime).toBe(ttl);
  });

  test('never lives longer than any may', () => {
    for (let second = START; second < START + 300; second++) {
      expect(presign(second, 3_600).lifetime).toBe(3_600);
    }
  });
});
