import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintOf, SignatureLog } from '@bindery/contract/signatures';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../folder.ts';
import { SigningKey, TIME } from './signing-key.ts';

test('ssh-keygen verifies every entry of a log, as we verify what it signed', () => {
  const folder = temporaryFolder();
  const [ann, ben] = [new SigningKey(folder, 'ann'), new SigningKey(folder, 'ben')];
  const log = new SignatureLog('ann/arms');
  ann.append(log, { kind: 'allow', key: ann.key });
  ann.append(log, { kind: 'allow', key: ben.key });
  const manifest = { sha256: 'ab'.repeat(32), size: 7 };
  ben.append(log, { kind: 'release', release: { name: 'v1', revision: 1, manifest } });
  const allowed = join(folder, 'allowed_signers');
  writeFileSync(
    allowed,
    log
      .signers()
      .map((key) => `ann/* namespaces="bindery" ${key}\n`)
      .join(''),
  );
  for (const { statement, signature } of log.entries) {
    const file = join(folder, 'entry.sig');
    writeFileSync(file, signature);
    const words = ['-Y', 'verify', '-f', allowed, '-I', 'ann/arms', '-n', 'bindery', '-s', file];
    expect(spawnSync('ssh-keygen', words, { input: statement }).status).toBe(0);
    expect(spawnSync('ssh-keygen', words, { input: `${statement} ` }).status).not.toBe(0);
  }
});

test('a signature over SHA-256 is verified as one over SHA-512', () => {
  const ann = new SigningKey(temporaryFolder(), 'ann');
  const log = new SignatureLog('ann/arms');
  const statement = log.next({ kind: 'allow', key: ann.key }, TIME);
  log.append({ statement, signature: ann.sign(statement, { options: ['-O', 'hashalg=sha256'] }) });
  expect(log.signers()).toEqual([ann.key]);
});

test('a fingerprint is the one that ssh-keygen prints', () => {
  const ann = new SigningKey(temporaryFolder(), 'ann');
  const printed = execFileSync('ssh-keygen', ['-l', '-f', `${ann.file}.pub`]).toString();
  expect(printed.split(' ')[1]).toBe(fingerprintOf(ann.key));
});

/** The definition of RFC 9162, word for word. */
function rootByDefinition(leaves: readonly Buffer[]): Buffer {
  const digest = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const [first] = leaves;
  if (first === undefined) return digest();
  if (leaves.length === 1) return digest(Buffer.of(0), first);
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return digest(
    Buffer.of(1),
    rootByDefinition(leaves.slice(0, split)),
    rootByDefinition(leaves.slice(split)),
  );
}

test('the root of a log is that of RFC 9162, at every size', () => {
  const folder = temporaryFolder();
  const ann = new SigningKey(folder, 'ann');
  const log = new SignatureLog('ann/arms');
  const leaves = () => log.entries.map(({ statement, signature }) => Buffer.from(statement + signature));
  expect(log.root()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  ann.append(log, { kind: 'allow', key: ann.key });
  for (let revision = 1; revision <= 18; revision++) {
    const release = { name: `v${revision}`, revision, manifest: { sha256: 'ab'.repeat(32), size: 7 } };
    ann.append(log, { kind: 'release', release });
    expect(log.root()).toBe(rootByDefinition(leaves()).toString('hex'));
  }
});

test('a log holds a thousand entries and no more', () => {
  const ann = new SigningKey(temporaryFolder(), 'ann');
  const log = new SignatureLog('ann/arms');
  ann.append(log, { kind: 'allow', key: ann.key });
  const { signature } = log.entries[0] as { signature: string };
  const add = (name: string) => {
    const release = { name, revision: 1, manifest: { sha256: 'ab'.repeat(32), size: 7 } };
    log.append({ statement: log.next({ kind: 'release', release }, TIME), signature }, { stored: true });
  };
  while (log.entries.length < 1_000) add(`v${log.entries.length}`);
  expect(() => add('one-more')).toThrow('has 1000 entries, the maximum');
});
