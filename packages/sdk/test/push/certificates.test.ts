import type { Certificate, Manifest } from '@bindery/contract';
import { CERTIFICATE_FAILURES, routes } from '@bindery/contract/wire';
import { expect, test } from 'vitest';
import { CODES } from '../../src/curation/check-codes.ts';
import { removeAssets } from '../../src/edit/assets.ts';
import { libraryParams } from '../../src/index.ts';
import { readCertificates } from '../../src/library/certificates.ts';
import { FakeCertifier } from '../artifacts/fakes.ts';
import { folderWith, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from './publisher.ts';

const robot = (code?: string) =>
  `<mujoco ${code === undefined ? '' : `code="${code}"`}><worldbody/></mujoco>`;

async function robots(files: Record<string, string>) {
  const [ann] = (await publishers(1)) as [Publisher];
  return { ann, folder: folderWith(files), certifier: new FakeCertifier() };
}

async function generatedOf({ client }: Publisher): Promise<string[]> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  const { generated = [] }: Manifest = JSON.parse(bytes.toString('utf8'));
  return generated.filter((path) => path.startsWith('.bindery/certificates/')).sort();
}

const certificatesOf = ({ client }: Publisher, id: string) =>
  readCertificates(client, ADDRESS, { id, kind: 'mjcf' });

const OF_ARM = ['.bindery/certificates/arm.json', '.bindery/certificates/arm.webp'];

test('the robots of a push are simulated once, and their certificates published by their publisher', async () => {
  const { ann, folder, certifier } = await robots({
    'arm/arm.xml': robot('mass-implausible'),
    'cup/cup.obj': 'v',
  });
  expect(await ann.push(folder, { certifier })).toMatchObject({
    status: 'published',
    certificates: { simulated: 1, cached: 0, certified: 1, uncertified: [] },
  });
  expect(await generatedOf(ann)).toEqual(OF_ARM);
  const [certificate] = await certificatesOf(ann, 'arm');
  expect(certificate).toMatchObject({
    verdict: 'passed',
    madeBy: 'publisher',
    mujoco: '3.0',
    certifier: '1',
    file: 'arm/arm.xml',
    rest: { energy: [0, 1.235] },
    problems: [{ code: 'mass-implausible' }],
  } satisfies Partial<{ [Key in keyof Certificate]: unknown }> & { madeBy: string });
  expect(certificate?.pictureUrl).toMatch(/^http/);
  expect(await ann.push(folder, { certifier })).toMatchObject({ status: 'unchanged' });
  expect(certifier.simulated).toEqual(['arm/arm.xml']);
});

test('a robot that fails is refused with its reason, and nothing is published', async () => {
  const { ann, folder, certifier } = await robots({
    'arm/arm.xml': robot(),
    'leg/leg.xml': robot('simulation-unstable'),
  });
  await expect(ann.push(folder, { certifier })).rejects.toMatchObject({
    code: 'certification_failed',
    message:
      'Robots fail in simulation; nothing was published:\n  leg/leg.xml: it has simulation-unstable [simulation-unstable]',
    details: { problems: [{ asset: 'leg', code: 'simulation-unstable' }] },
  });
  await expect(generatedOf(ann)).rejects.toMatchObject({ code: 'not_found' });
});

test('a failure that bindery.yml accepts is published without a certificate', async () => {
  const { ann, folder, certifier } = await robots({
    'bindery.yml': 'check: { accept: [simulation-unstable] }',
    'arm/arm.xml': robot(),
    'leg/leg.xml': robot('simulation-unstable'),
    'hand/hand.xml': robot('refused'),
  });
  expect((await ann.push(folder, { certifier })).certificates).toEqual({
    simulated: 3,
    cached: 0,
    certified: 1,
    uncertified: [
      { asset: 'hand', reason: 'needs a plugin' },
      { asset: 'leg', reason: 'it has simulation-unstable' },
    ],
    engines: [],
  });
  expect(await generatedOf(ann)).toEqual(OF_ARM);
});

test('without a certifier, certificates stay with robots whose files have not changed', async () => {
  const { ann, folder, certifier } = await robots({
    'arm/arm.xml': robot(),
    'leg/leg.xml': robot('nothing-below'),
  });
  await ann.push(folder, { certifier });
  writeFiles(folder, { 'leg/leg.xml': robot('gravity-unusual') });
  expect(await ann.push(folder)).toMatchObject({ revision: 2 });
  expect(await generatedOf(ann)).toEqual(OF_ARM);
  expect(await certificatesOf(ann, 'leg')).toEqual([]);
});

test('another version simulates again, and what fails there loses its certificate', async () => {
  const { ann, folder, certifier } = await robots({
    'bindery.yml': 'check: { accept: [falls-through-floor] }',
    'arm/arm.xml': robot(),
  });
  await ann.push(folder, { certifier });
  const stricter = new FakeCertifier('2');
  stricter.certify = async () => ({
    certification: {
      mujoco: '3.1',
      problems: [{ code: 'falls-through-floor', message: 'falls' }],
      losses: [],
    },
    animation: Buffer.from('falling'),
  });
  expect((await ann.push(folder, { certifier: stricter })).certificates).toMatchObject({
    simulated: 1,
    certified: 0,
  });
  expect(await generatedOf(ann)).toEqual([]);
});

test('a plan simulates nothing, and says how many robots it would', async () => {
  const { ann, folder, certifier } = await robots({ 'arm/arm.xml': robot() });
  await ann.push(folder);
  expect(await ann.push(folder, { certifier, dryRun: true })).toMatchObject({
    unchanged: false,
    certificates: { simulated: 1, cached: 0 },
  });
  expect(certifier.simulated).toEqual([]);
});

test('the certificate of a removed robot goes with it', async () => {
  const { ann, folder, certifier } = await robots({
    'arm/arm.xml': robot(),
    'leg/leg.xml': robot('nothing-below'),
  });
  await ann.push(folder, { certifier });
  await removeAssets(ann.client, ADDRESS, ['leg'], ann.options);
  expect(await generatedOf(ann)).toEqual(OF_ARM);
});

test('what fails a robot is what a check calls an error', () => {
  const simulated = Object.entries(CODES).slice(
    Object.keys(CODES).indexOf('simulation-unstable'),
    Object.keys(CODES).indexOf('mass-not-positive'),
  );
  const errors = simulated.flatMap(([code, severity]) => (severity === 'error' ? [code] : []));
  expect([...CERTIFICATE_FAILURES].sort()).toEqual([...errors, 'mjcf-does-not-compile'].sort());
});
