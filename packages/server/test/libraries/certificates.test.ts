import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AssetDetail,
  type Certificate,
  digestText,
  formatDigest,
  type MadeCertificate,
} from '@bindery/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssetConverter, Conversion } from '../../src/conversions/conversions.ts';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';
import { publish } from './publish.ts';

const ROBOT = '<mujoco/>';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const DIGEST = formatDigest(sha256(digestText([{ path: 'arm/arm.xml', sha256: sha256(ROBOT) }])));
const CERTIFICATE: Certificate = {
  verdict: 'passed',
  digest: DIGEST,
  file: 'arm/arm.xml',
  mujoco: '3.0',
  certifier: '1',
  timestep: 0.002,
  rest: { seconds: 10, energy: [0, 1], contacts: 4 },
  problems: [],
  losses: [],
};

const simulated: Conversion[] = [];
const converter: AssetConverter = {
  workers: 2,
  version: async () => '1',
  close: async () => {},
  async convert(conversion, _locate, into) {
    simulated.push(conversion);
    if (conversion.entry === 'plugin/plugin.xml') return { refused: 'it needs a plugin', isTransient: false };
    const certificate = { ...CERTIFICATE, digest: conversion.digest, verdict: 'failed' };
    writeFileSync(join(into, 'certificate.json'), JSON.stringify(certificate));
    return { name: 'certificate.json', losses: [] };
  },
};

let service: TestService;
let ada: Actor;
beforeAll(async () => {
  service = await startService({ converter });
  ada = await service.member('ada');
});
afterAll(() => service.close());

const publishArm = (name: string, certificate?: unknown) =>
  publish(ada, `ada/${name}`, {
    visibility: name === 'secret' ? 'private' : 'public',
    assets: [
      { id: 'arm', kind: 'mjcf', entry: 'arm/arm.xml', files: { 'arm/arm.xml': ROBOT } },
      { id: 'plugin', kind: 'mjcf', entry: 'plugin/plugin.xml', files: { 'plugin/plugin.xml': '<mujoco >' } },
      { id: 'cup', kind: 'mesh', entry: 'cup.obj', files: { 'cup.obj': 'v' } },
    ],
    ...(certificate !== undefined && {
      generated: {
        '.bindery/certificates/arm.json':
          typeof certificate === 'string' ? certificate : JSON.stringify(certificate),
        '.bindery/certificates/arm.webp': 'a run',
      },
    }),
  });
const pathOf = (name: string, id = 'arm') => `/namespaces/ada/libraries/${name}/assets/${id}`;
const certificatesOf = async (name: string) =>
  (await ada.get<AssetDetail>(`${pathOf(name)}?certificates=true`)).body.certificates;
const certify = (actor: Actor, name: string, id?: string) =>
  actor.post<MadeCertificate & { error?: string }>(`${pathOf(name, id)}/certify`);

test("a publisher's certificate of these files is shown as the publisher's, with its picture", async () => {
  await publishArm('certified', CERTIFICATE);
  expect(await certificatesOf('certified')).toEqual([
    { ...CERTIFICATE, madeBy: 'publisher', pictureUrl: expect.stringMatching(/^http/) },
  ]);
  const { body } = await ada.get(pathOf('certified'));
  expect(body).not.toHaveProperty('certificates');
});

test.each([
  ['of other files', { ...CERTIFICATE, digest: formatDigest(sha256('other')) }],
  ['of another file of the asset', { ...CERTIFICATE, file: 'arm/other.xml' }],
  ['with an unknown verdict', { ...CERTIFICATE, verdict: 'excellent' }],
  ['that is no JSON', '{"verdict": "passed"'],
  ['that is too large', { ...CERTIFICATE, notes: 'x'.repeat(300_000) }],
])('a certificate %s is not shown', async (what, certificate) => {
  const name = what.toLowerCase().replaceAll(' ', '-');
  await publishArm(name, certificate);
  expect(await certificatesOf(name)).toEqual([]);
});

test('the service makes its own certificate for a member, once, and says so', async () => {
  await publishArm('own', CERTIFICATE);
  const before = simulated.length;
  const { status, body } = await certify(ada, 'own');
  expect([status, body.verdict, body.madeBy, body.pictureUrl]).toEqual([200, 'failed', 'service', null]);
  await certify(ada, 'own');
  expect(simulated).toHaveLength(before + 1);
  expect((await certificatesOf('own'))?.map(({ madeBy, verdict }) => [madeBy, verdict])).toEqual([
    ['publisher', 'passed'],
    ['service', 'failed'],
  ]);
});

test('only members of the namespace have a robot simulated, and others learn nothing of what is hidden', async () => {
  await publishArm('public');
  await publishArm('secret');
  const before = simulated.length;
  const stranger = await service.stranger();
  const answers = [
    await certify(service.anonymous, 'public'),
    await certify(stranger, 'public'),
    await certify(stranger, 'secret'),
    await certify(stranger, 'secret', 'nothing'),
    await certify(stranger, 'nothing'),
    await certify(await service.token('ada', { scope: 'read' }), 'public'),
    await certify(ada, 'public', 'nothing'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 403, 404, 404, 404, 403, 404]);
  expect(simulated).toHaveLength(before);
});

test('what is no robot, and a robot that cannot be simulated, is refused with the reason', async () => {
  await publishArm('refused');
  const [cup, plugin] = [await certify(ada, 'refused', 'cup'), await certify(ada, 'refused', 'plugin')];
  expect([cup.status, cup.body.error]).toEqual([422, 'conversion_refused']);
  expect([plugin.status, plugin.body]).toMatchObject([
    422,
    { message: 'The asset cannot be simulated: it needs a plugin.' },
  ]);
});
