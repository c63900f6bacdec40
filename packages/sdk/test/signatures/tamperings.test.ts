import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MANIFEST_HEADER } from '@bindery/contract';
import { type LogEntry, SignatureLog, type SignedRelease } from '@bindery/contract/signatures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { parseTrustedSigners } from '../../src/signatures/trusted-signers.ts';
import { verifyRelease } from '../../src/signatures/verify-release.ts';
import { canRun } from '../credentials/needed-programs.ts';
import { PYTHON, runs } from '../credentials/secret-service-session.ts';
import { temporaryFolder, writeFiles } from '../folder.ts';
import { SigningKey, TIME } from './signing-key.ts';

const ADDRESS = { namespace: 'ann', name: 'arms', release: 'v2' };
const FILES = { 'arm/arm.xml': '<mujoco/>', 'arm/license.txt': 'MIT' };
const sha256 = (content: string) => hash('sha256', content);
const objectPath = (content: string) => `objects/${sha256(content).slice(0, 2)}/${sha256(content)}`;

function manifestOf(license: string, files: Record<string, string> = FILES): string {
  const listed = Object.entries(files).map(([path, content]) => ({
    path,
    size: content.length,
    sha256: sha256(content),
  }));
  const asset = { id: 'arm', title: 'Arm', license, attribution: 'Ann', files: listed };
  return JSON.stringify({ schema: 'bindery.assets/v1', library: {}, assets: [asset] });
}

const MANIFESTS = { v1: manifestOf('Apache-2.0'), v2: manifestOf('MIT'), v3: manifestOf('BSD-3-Clause') };

function released(name: keyof typeof MANIFESTS, content = MANIFESTS[name]): SignedRelease {
  const manifest = { sha256: sha256(content), size: content.length };
  return { name, revision: Number(name.slice(1)), manifest };
}

/** What a service, or a stick, hands out, and what this machine knows before it asks. */
interface World {
  entries: LogEntry[];
  /** The manifest that the service serves for each release. */
  served: Record<string, string>;
  /** The log that this machine has seen; null if none. */
  seen: LogEntry[] | null;
  release: string;
  /** A file of trusted signers. */
  signers?: string;
  /** Changes the mirror, from which the release is then verified. */
  mirror?: (folder: string) => void;
  /** Changes a pulled folder, which is then verified. */
  folder?: (folder: string) => void;
  /** Changes the home of the machine. */
  home?: (folder: string) => void;
}

let keys: string;
let server: Server;
let url: string;
let ann: SigningKey;
let ben: SigningKey;
let eve: SigningKey;
let rsa: SigningKey;
/** Allows ann and ben, releases v1, revokes ann, releases v2 by ben. */
let honest: LogEntry[];
/** A log of another library by the same people, and another of the same library. */
let other: LogEntry[];
let fork: LogEntry[];
let now: Pick<World, 'entries' | 'served'>;

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'bindery-keys-'));
  const folder = keys;
  [ann, ben, eve] = [
    new SigningKey(folder, 'ann'),
    new SigningKey(folder, 'ben'),
    new SigningKey(folder, 'eve'),
  ];
  rsa = new SigningKey(folder, 'rsa', 'rsa');
  const logOf = (library: string, last: keyof typeof MANIFESTS) => {
    const log = new SignatureLog(library);
    ann.append(log, { kind: 'allow', key: ann.key });
    ann.append(log, { kind: 'allow', key: ben.key });
    ann.append(log, { kind: 'release', release: released('v1') });
    ben.append(log, { kind: 'revoke', key: ann.key });
    ben.append(log, { kind: 'release', release: released(last) });
    return log.entries;
  };
  [honest, other, fork] = [logOf('ann/arms', 'v2'), logOf('ann/legs', 'v2'), logOf('ann/arms', 'v3')];
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    const isLog = pathname.endsWith('/signatures');
    const manifest = now.served[searchParams.get('release') ?? ''] ?? '';
    response.setHeader('content-type', 'application/json');
    if (!isLog) response.setHeader(MANIFEST_HEADER, sha256(manifest));
    response.end(JSON.stringify(isLog ? { entries: now.entries } : { revision: 2 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(keys, { recursive: true });
});

async function verify(world: World) {
  const [state, cache] = [temporaryFolder(), temporaryFolder()];
  const [mirror, folder] = [temporaryFolder(), temporaryFolder()];
  const client = createClient({ baseUrl: url, retry: { attempts: 1, pause: 1, maxPause: 1 } });
  const options = { stateFolder: state, cacheFolder: cache };
  try {
    if (world.seen !== null) {
      now = { entries: world.seen, served: MANIFESTS };
      await verifyRelease(url, { ...ADDRESS, release: 'v1' }, async () => client, options);
    }
    now = world;
    world.home?.(state);
    const isLocal = world.mirror !== undefined || world.folder !== undefined;
    if (isLocal) {
      for (const content of [...Object.values(FILES), ...Object.values(MANIFESTS)])
        writeFiles(mirror, { [objectPath(content)]: content });
      writeFiles(mirror, { 'signatures/ann/arms.json': JSON.stringify({ entries: world.entries }) });
      writeFiles(folder, FILES);
      world.mirror?.(mirror);
      world.folder?.(folder);
    }
    return await verifyRelease(url, { ...ADDRESS, release: world.release }, async () => client, {
      ...options,
      ...(isLocal ? { mirror: openMirror(mirror) } : {}),
      ...(world.folder ? { folder } : {}),
      ...(world.signers ? { signers: parseTrustedSigners(world.signers, 'signers') } : {}),
    });
  } finally {
    await client.close();
  }
}

const world = (): World => ({
  entries: [...honest],
  served: MANIFESTS,
  seen: honest.slice(0, 3),
  release: 'v2',
});

type Tampering = [name: string, reason: string, change: (world: World) => void];

/** Replaces text in the statement of an entry and leaves the signature as it was. */
function editing(entry: number, from: string | RegExp, to: string, reason: string): Tampering {
  const name = `entry ${entry}: "${to.trim()}" in place of what was signed`;
  return [
    name,
    reason,
    ({ entries }) => {
      const { statement, signature } = entries[entry] as LogEntry;
      entries[entry] = { statement: statement.replace(from, to), signature };
      expect(entries[entry]?.statement).not.toBe(statement);
    },
  ];
}

/** Adds to the log as whoever has the key could, ignoring its rules. */
function adding(name: string, reason: string, entry: (log: SignatureLog) => LogEntry): Tampering {
  return [name, reason, (world) => world.entries.push(entry(SignatureLog.read('ann/arms', world.entries)))];
}

const ENTRIES = [0, 1, 2, 3, 4];
/** Those that this machine has seen: changing them is a fork, whatever else it is. */
const reasonAt = (entry: number, reason: string) => (entry < 3 ? 'forked_log' : reason);
const signature = (name: string, reason: string, change: (armored: string) => string): Tampering => [
  `a signature ${name}`,
  reason,
  ({ entries }) => {
    const { statement, signature } = entries[4] as LogEntry;
    entries[4] = { statement, signature: change(signature) };
  },
];
const binary = (change: (bytes: Buffer) => Buffer) => (armored: string) => {
  const body = armored.split('\n').slice(1, -2).join('');
  const lines =
    change(Buffer.from(body, 'base64'))
      .toString('base64')
      .match(/.{1,70}/g) ?? [];
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join('\n')}\n-----END SSH SIGNATURE-----\n`;
};
const flipping = (at: number) =>
  binary((bytes) => {
    const place = at < 0 ? bytes.length + at : at;
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    return bytes;
  });

const TAMPERINGS: Tampering[] = [
  // Statements that say something else than what was signed.
  ...ENTRIES.flatMap((entry) => [
    editing(entry, 'ann/arms', 'ann/legs', reasonAt(entry, 'other_library')),
    editing(entry, /entry: \d/, 'entry: 7', reasonAt(entry, 'other_place')),
    editing(entry, /root: .{8}/, 'root: 00000000', reasonAt(entry, 'other_history')),
    editing(entry, TIME, '2026-03-01T12:00:01Z', reasonAt(entry, 'wrong_signature')),
    editing(entry, TIME, '2026-03-01T12:00:00.000Z', reasonAt(entry, 'malformed_statement')),
    editing(entry, /\n$/, '\nlatest: yes\n', reasonAt(entry, 'malformed_statement')),
  ]),
  editing(4, 'release: v2', 'release: v3', 'wrong_signature'),
  editing(4, 'revision: 2', 'revision: 3', 'wrong_signature'),
  editing(4, 'revision: 2', 'revision: 02', 'malformed_statement'),
  editing(4, 'release: v2', 'release: latest', 'malformed_statement'),
  editing(4, 'release: v2', 'release: ../v2', 'malformed_statement'),
  editing(4, /manifest: .{8}/, 'manifest: 00000000', 'wrong_signature'),
  editing(4, / \d+\n$/, ' 1\n', 'wrong_signature'),
  editing(4, 'bindery signature log', 'bindery signature log 2', 'malformed_statement'),
  editing(3, 'revoke: ', 'allow: ', 'wrong_signature'),
  editing(3, 'revoke: ssh-ed25519', 'revoke: ssh-rsa', 'malformed_statement'),
  // Entries that are missing, or in other places.
  ...[3, 4].map(
    (entry): Tampering => [
      `a log without entry ${entry}`,
      entry === 4 ? 'unsigned' : 'other_place',
      ({ entries }) => entries.splice(entry, 1),
    ],
  ),
  ...[0, 1, 2].map(
    (length): Tampering => [
      `a log that was cut after ${length} entries`,
      'truncated_log',
      ({ entries }) => entries.splice(length),
    ],
  ),
  ['a frozen log, which has not the release that is served', 'unsigned', ({ entries }) => entries.splice(3)],
  ...[0, 1, 2].map(
    (entry): Tampering => [
      `a log without entry ${entry}, which was seen`,
      'forked_log',
      ({ entries }) => entries.splice(entry, 1),
    ],
  ),
  ...[0, 1, 2, 3].map(
    (entry): Tampering => [
      `entries ${entry} and ${entry + 1} in the other order`,
      reasonAt(entry, 'other_place'),
      ({ entries }) => entries.splice(entry, 2, ...entries.slice(entry, entry + 2).reverse()),
    ],
  ),
  ...ENTRIES.map(
    (entry): Tampering => [
      `entry ${entry} twice`,
      entry < 2 ? 'forked_log' : 'other_place',
      ({ entries }) => entries.splice(entry, 0, entries[entry] as LogEntry),
    ],
  ),
  ...ENTRIES.map(
    (entry): Tampering => [
      `entry ${entry} of the log of another library of the same owners`,
      reasonAt(entry, 'other_library'),
      ({ entries }) => entries.splice(entry, 1, other[entry] as LogEntry),
    ],
  ),
  ['the log of another library', 'forked_log', (world) => Object.assign(world, { entries: other })],
  [
    'the log of another library, seen first',
    'other_library',
    (world) => Object.assign(world, { entries: other, seen: null }),
  ],
  [
    'a log that begins anew',
    'forked_log',
    (world) => {
      const log = new SignatureLog('ann/arms');
      eve.append(log, { kind: 'allow', key: eve.key });
      eve.append(log, { kind: 'release', release: released('v2') });
      world.entries = log.entries;
    },
  ],
  [
    'a split view: owners were shown different logs',
    'forked_log',
    (world) => {
      Object.assign(world, { seen: honest, entries: fork, release: 'v3' });
    },
  ],
  ['an empty log', 'truncated_log', (world) => Object.assign(world, { entries: [] })],
  ['an empty log, seen first', 'unsigned', (world) => Object.assign(world, { entries: [], seen: null })],
  ['something else than a log', 'truncated_log', (world) => Object.assign(world, { entries: { length: 5 } })],
  // Signatures.
  signature('that is empty', 'malformed_signature', () => ''),
  signature('without its last line', 'malformed_signature', (armored) => armored.slice(0, -30)),
  signature('with Windows line ends', 'malformed_signature', (armored) => armored.replaceAll('\n', '\r\n')),
  signature('of another entry', 'wrong_signature', () => (honest[3] as LogEntry).signature),
  signature(
    'of the same entry in another library',
    'wrong_signature',
    () => (other[4] as LogEntry).signature,
  ),
  signature('with another magic word', 'malformed_signature', flipping(0)),
  signature('of another version', 'malformed_signature', flipping(9)),
  signature('with another key in it', 'wrong_signature', flipping(40)),
  signature('with a bit of its first number changed', 'wrong_signature', flipping(-64)),
  signature('with a bit of its last number changed', 'wrong_signature', flipping(-1)),
  signature(
    'with further bytes',
    'malformed_signature',
    binary((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  ),
  signature(
    'that ends early',
    'malformed_signature',
    binary((bytes) => bytes.subarray(0, -1)),
  ),
  signature(
    'whose lengths lie',
    'malformed_signature',
    binary((bytes) => {
      bytes.writeUInt32BE(0xffffffff, 10);
      return bytes;
    }),
  ),
  signature('that is much too long', 'malformed_signature', (armored) =>
    armored.replace('\n', `\n${'A'.repeat(9_000)}\n`),
  ),
  [
    'a signature for Git',
    'other_purpose',
    ({ entries }) => {
      const { statement } = entries[4] as LogEntry;
      entries[4] = { statement, signature: ben.sign(statement, { purpose: 'git' }) };
    },
  ],
  [
    'a signature by a key of another type',
    'malformed_signature',
    ({ entries }) => {
      const { statement } = entries[4] as LogEntry;
      entries[4] = { statement, signature: rsa.sign(statement) };
    },
  ],
  // Keys.
  [
    'a release by a key that was never allowed',
    'unknown_key',
    ({ entries }) => {
      entries[4] = eve.entry((entries[4] as LogEntry).statement);
    },
  ],
  [
    'a release by a revoked key',
    'revoked_key',
    ({ entries }) => {
      entries[4] = ann.entry((entries[4] as LogEntry).statement);
    },
  ],
  adding('a key that allows itself', 'unknown_key', (log) =>
    eve.entry(log.next({ kind: 'allow', key: eve.key }, TIME)),
  ),
  adding('a revoked key that allows itself again', 'revoked_key', (log) =>
    ann.entry(log.next({ kind: 'allow', key: ann.key }, TIME)),
  ),
  adding('a revoked key that another allows again', 'useless_key_change', (log) =>
    ben.entry(log.next({ kind: 'allow', key: ann.key }, TIME)),
  ),
  adding('a stranger who revokes an owner', 'unknown_key', (log) =>
    eve.entry(log.next({ kind: 'revoke', key: ben.key }, TIME)),
  ),
  adding('a revoked owner who revokes another', 'revoked_key', (log) =>
    ann.entry(log.next({ kind: 'revoke', key: ben.key }, TIME)),
  ),
  adding('an owner who revokes the last key', 'last_key', (log) =>
    ben.entry(log.next({ kind: 'revoke', key: ben.key }, TIME)),
  ),
  adding('a key that is allowed twice', 'useless_key_change', (log) =>
    ben.entry(log.next({ kind: 'allow', key: ben.key }, TIME)),
  ),
  adding('a key that is revoked and was never allowed', 'useless_key_change', (log) =>
    ben.entry(log.next({ kind: 'revoke', key: eve.key }, TIME)),
  ),
  [
    'a log that begins with a release',
    'unknown_key',
    (world) => {
      const log = new SignatureLog('ann/arms');
      Object.assign(world, {
        seen: null,
        entries: [ann.entry(log.next({ kind: 'release', release: released('v2') }, TIME))],
      });
    },
  ],
  [
    "a log that begins with another's key",
    'unknown_key',
    (world) => {
      const log = new SignatureLog('ann/arms');
      Object.assign(world, {
        seen: null,
        entries: [eve.entry(log.next({ kind: 'allow', key: ann.key }, TIME))],
      });
    },
  ],
  [
    'a log that begins with a revocation',
    'unknown_key',
    (world) => {
      const log = new SignatureLog('ann/arms');
      Object.assign(world, {
        seen: null,
        entries: [ann.entry(log.next({ kind: 'revoke', key: ann.key }, TIME))],
      });
    },
  ],
  // Releases.
  adding('other contents under the name of a release', 'signed_before', (log) =>
    ben.entry(
      log.next({ kind: 'release', release: { ...released('v2'), manifest: released('v1').manifest } }, TIME),
    ),
  ),
  adding('another revision under the name of a release', 'signed_before', (log) =>
    ben.entry(log.next({ kind: 'release', release: { ...released('v2'), revision: 9 } }, TIME)),
  ),
  [
    'an older release under a newer name',
    'other_contents',
    (world) => Object.assign(world, { served: { v2: MANIFESTS.v1 } }),
  ],
  [
    'a newer release under an older name',
    'other_contents',
    (world) => Object.assign(world, { release: 'v1', served: { v1: MANIFESTS.v2 } }),
  ],
  [
    'other credits',
    'other_contents',
    (world) => Object.assign(world, { served: { v2: manifestOf('CC0-1.0') } }),
  ],
  [
    'a swapped file',
    'other_contents',
    (world) =>
      Object.assign(world, { served: { v2: manifestOf('MIT', { ...FILES, 'arm/arm.xml': '<evil/>' }) } }),
  ],
  [
    'a file that was added',
    'other_contents',
    (world) => Object.assign(world, { served: { v2: manifestOf('MIT', { ...FILES, 'arm/more.txt': 'x' }) } }),
  ],
  [
    'a file that was left out',
    'other_contents',
    (world) => Object.assign(world, { served: { v2: manifestOf('MIT', { 'arm/arm.xml': '<mujoco/>' }) } }),
  ],
  ['a release that nobody signed', 'unsigned', (world) => Object.assign(world, { release: 'v3' })],
  // Signers that are not those that the caller trusts.
  [
    'a signer who is not trusted',
    'untrusted_signer',
    (world) => Object.assign(world, { signers: `ann/* ${eve.key}\n` }),
  ],
  [
    'a signer who is trusted for another library',
    'untrusted_signer',
    (world) => Object.assign(world, { signers: `ann/legs ${ben.key}\n` }),
  ],
  [
    'a signer who is trusted for another namespace',
    'untrusted_signer',
    (world) => Object.assign(world, { signers: `ben/* ${ben.key}\n` }),
  ],
  [
    'a list of trusted signers that is empty',
    'untrusted_signer',
    (world) => Object.assign(world, { signers: '# nobody\n' }),
  ],
  [
    'a list with options that we do not know',
    'project_file',
    (world) => Object.assign(world, { signers: `ann/* valid-before="20200101" ${ben.key}\n` }),
  ],
  [
    'a memory of this machine that was edited',
    'damaged_memory',
    (world) => {
      world.home = (state) => {
        const file = join(state, 'signatures', readdirSync(join(state, 'signatures'))[0] ?? '');
        writeFileSync(file, readFileSync(file, 'utf8').replace('ann/arms', 'ann/legs'));
      };
    },
  ],
  // Mirrors and folders.
  [
    'a stick with a swapped file',
    'integrity',
    (world) => {
      world.mirror = (folder) => writeFileSync(join(folder, objectPath('MIT')), 'GPL');
    },
  ],
  [
    'a stick with a file that was cut',
    'integrity',
    (world) => {
      world.mirror = (folder) => truncateSync(join(folder, objectPath('<mujoco/>')), 4);
    },
  ],
  [
    'a stick with a file that grew',
    'integrity',
    (world) => {
      world.mirror = (folder) => writeFileSync(join(folder, objectPath('MIT')), 'MIT and more');
    },
  ],
  [
    'a stick without a file',
    'mirror',
    (world) => {
      world.mirror = (folder) => rmSync(join(folder, objectPath('MIT')));
    },
  ],
  [
    'a stick with another manifest',
    'integrity',
    (world) => {
      world.mirror = (folder) => writeFileSync(join(folder, objectPath(MANIFESTS.v2)), MANIFESTS.v1);
    },
  ],
  [
    'a stick with other credits',
    'integrity',
    (world) => {
      world.mirror = (folder) => writeFileSync(join(folder, objectPath(MANIFESTS.v2)), manifestOf('CC'));
    },
  ],
  [
    'a stick without a manifest',
    'mirror',
    (world) => {
      world.mirror = (folder) => rmSync(join(folder, objectPath(MANIFESTS.v2)));
    },
  ],
  [
    'a stick with a log of somebody else',
    'forked_log',
    (world) => {
      world.mirror = (folder) =>
        writeFiles(folder, {
          'signatures/ann/arms.json': JSON.stringify({ entries: fork.slice(0, 1).concat(other) }),
        });
    },
  ],
  [
    'a stick with an old log, which has not the release',
    'unsigned',
    (world) => {
      Object.assign(world, { mirror: () => {}, entries: honest.slice(0, 2) });
    },
  ],
  [
    'a folder with an edited file',
    'integrity',
    (world) => {
      world.folder = (folder) => writeFileSync(join(folder, 'arm/license.txt'), 'GPL');
    },
  ],
  [
    'a folder without a file',
    'integrity',
    (world) => {
      world.folder = (folder) => rmSync(join(folder, 'arm/license.txt'));
    },
  ],
  [
    'a folder that is not there',
    'integrity',
    (world) => {
      world.folder = (folder) => rmSync(folder, { recursive: true });
    },
  ],
];

test('what is honest is verified: of a service, of a stick, of a folder, and by signers that are trusted', async () => {
  expect(await verify(world())).toMatchObject({
    log: { entries: 5 },
    isFirst: false,
    signature: { key: ben.key },
  });
  expect(await verify({ ...world(), seen: null })).toMatchObject({ isFirst: true });
  expect(await verify({ ...world(), release: 'v1' })).toMatchObject({ signature: { key: ann.key } });
  expect(await verify({ ...world(), mirror: () => {} })).toMatchObject({ files: { files: 2 } });
  expect(await verify({ ...world(), folder: () => {} })).toMatchObject({ files: { files: 2 } });
  expect(await verify({ ...world(), signers: `ann/* ${ben.key} Ben\n` })).toMatchObject({ isFirst: false });
});

test('a stick with an older log than this machine has seen is as good as the log that it has seen', async () => {
  const old = { ...world(), seen: honest, entries: honest.slice(0, 2), mirror: () => {} };
  expect(await verify(old)).toMatchObject({ log: { entries: 5 } });
});

test('there are at least a hundred tamperings', () => {
  expect(TAMPERINGS.length).toBeGreaterThanOrEqual(100);
});

test.each(TAMPERINGS)('%s is refused: %s', async (_name, reason, change) => {
  const tampered = world();
  change(tampered);
  const error = await verify(tampered).then(
    () => null,
    (error: unknown) => error as Error & { code?: string; details?: { problem?: string } },
  );
  expect(error?.details?.problem ?? error?.code ?? error?.message).toBe(reason);
});

const missing = runs(PYTHON, ['-c', 'import cryptography']) ? [] : ["Python's cryptography"];
test.runIf(canRun('Signatures in Python', missing))('Python refuses the same, for the same reasons', () => {
  const remote = TAMPERINGS.map(([, reason, change]) => {
    const tampered = world();
    change(tampered);
    return { reason, tampered };
  }).filter(({ tampered: { mirror, folder, home } }) => !mirror && !folder && !home);
  const cases = [world(), ...remote.map(({ tampered }) => tampered)].map((one) => ({
    ...one,
    signers: one.signers ?? null,
    manifest: sha256(one.served[one.release] ?? ''),
  }));
  const script = fileURLToPath(new URL('./verify-in-python.py', import.meta.url));
  const env = { ...process.env, PYTHONPATH: fileURLToPath(new URL('../../../../python', import.meta.url)) };
  const printed = execFileSync(PYTHON, [script], { input: JSON.stringify(cases), env });
  expect(remote.length).toBeGreaterThanOrEqual(95);
  expect(JSON.parse(printed.toString())).toEqual([null, ...remote.map(({ reason }) => reason)]);
});
