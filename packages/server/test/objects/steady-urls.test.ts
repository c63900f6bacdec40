import { describe, expect, test } from 'vitest';
import { PresignedUrls } from '../../src/adapters/objects/http/presigned-urls.ts';

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

describe('a download URL', () => {
  test('is the same for five minutes, and is valid at least as long as granted', () => {
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

  test.each([60, 600])('is valid for exactly %i seconds if so few are requested', (ttl) => {
    expect(presign(START + 17, ttl).lifetime).toBe(ttl);
  });

  test('is never valid longer than the maximum lifetime', () => {
    for (let second = START; second < START + 300; second++) {
      expect(presign(second, 3_600).lifetime).toBe(3_600);
    }
  });
});
