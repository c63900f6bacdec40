import { formatLibraryAddress, parseAssetAddress, parseLibraryAddress } from '@bindery/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('A library address', () => {
  it('names a namespace and a library', () => {
    expect(parseLibraryAddress('acme/robots')).toEqual({ namespace: 'acme', name: 'robots' });
  });

  it('can name a release, in which letter case counts', () => {
    const address = { namespace: 'acme', name: 'robots' };
    expect(parseLibraryAddress('acme/robots@v1.2')).toEqual({ ...address, release: 'v1.2' });
    expect(parseLibraryAddress('acme/robots@V1.2')).toEqual({ ...address, release: 'V1.2' });
    expect(parseLibraryAddress('acme/robots@2026-07_a')).toEqual({ ...address, release: '2026-07_a' });
  });

  it.each([
    ['empty text', ''],
    ['no library', 'acme'],
    ['capitals', 'Acme/robots'],
    ['an asset', 'acme/robots/arm'],
    ['a release without a name', 'acme/robots@'],
    ['two releases', 'acme/robots@v1@v2'],
    ['the release "latest", which would move', 'acme/robots@latest'],
    ['a release that begins with a dot', 'acme/robots@.v1'],
    ['a release with a slash', 'acme/robots@v1/arm'],
    ['a release with a space', 'acme/robots@v 1'],
    ['a release of 65 characters', `acme/robots@${'v'.repeat(65)}`],
    ['a line break at its end', 'acme/robots@v1\n'],
  ])('is refused with %s', (_, text) => {
    expect(parseLibraryAddress(text)).toBeNull();
  });

  it('can name one asset, with or without a release', () => {
    const robots = { namespace: 'acme', name: 'robots' };
    expect(parseAssetAddress('acme/robots/arm')).toEqual({ ...robots, asset: 'arm' });
    expect(parseAssetAddress('acme/robots@v1/arm')).toEqual({ ...robots, release: 'v1', asset: 'arm' });
    expect(parseAssetAddress('acme/robots')).toEqual(robots);
    for (const text of ['acme/robots/', 'acme', 'acme//arm', 'acme/robots@/arm'])
      expect(parseAssetAddress(text)).toBeNull();
  });

  it('is the same after formatting and parsing', () => {
    const slug = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,37}[a-z0-9])?$/);
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,63}$/);
    const release = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/).filter((it) => it !== 'latest');
    fc.assert(
      fc.property(slug, name, fc.option(release, { nil: undefined }), (namespace, name, release) => {
        const address = { namespace, name, ...(release === undefined ? {} : { release }) };
        expect(parseLibraryAddress(formatLibraryAddress(address))).toEqual(address);
      }),
    );
  });
});
