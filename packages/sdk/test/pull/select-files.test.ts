import { hash } from 'node:crypto';
import { type Manifest, SOURCE_CURATION_PATH, SOURCE_README_PATH } from '@bindery/contract';
import { expect, test } from 'vitest';
import { IntegrityError } from '../../src/index.ts';
import { selectFiles } from '../../src/pull/select-files.ts';

function file(path: string) {
  return { path, size: 1, sha256: hash('sha256', path) };
}

/** A library with its curation and README, and one asset of these files. */
function libraryOf(...paths: string[]): Manifest {
  return {
    schema: 'bindery.assets/v1',
    assets: [{ id: 'arm', files: paths.map(file) }],
    generated: [SOURCE_CURATION_PATH, SOURCE_README_PATH],
  };
}

const artifacts = new Map([SOURCE_CURATION_PATH, SOURCE_README_PATH].map((path) => [path, file(path)]));

test('a pull of a whole library restores its bindery.yml and README at the root', () => {
  const wanted = selectFiles('acme/arms', libraryOf('arm/a.bin'), artifacts, {});
  expect([...wanted.keys()]).toEqual(['arm/a.bin', 'bindery.yml', 'README.md']);
});

test('a pull of a whole library is refused if it has a folder where its bindery.yml belongs', () => {
  const pull = () => selectFiles('acme/arms', libraryOf('bindery.yml/x'), artifacts, {});
  expect(pull).toThrow(IntegrityError);
  expect(pull).toThrow('acme/arms has "bindery.yml/x", which cannot be inside "bindery.yml", itself a file');
});

test('a pull of one asset allows a folder named bindery.yml, since it includes no bindery.yml', () => {
  const wanted = selectFiles('acme/arms', libraryOf('bindery.yml/x'), artifacts, { assets: ['arm'] });
  expect([...wanted.keys()]).toEqual(['bindery.yml/x']);
});

test('a README that is also in an asset is pulled from the asset', () => {
  const wanted = selectFiles('acme/arms', libraryOf('README.md'), artifacts, {});
  expect(wanted.get('README.md')?.remotePath).toBe('README.md');
});
