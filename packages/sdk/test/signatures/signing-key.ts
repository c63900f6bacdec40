import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogEntry, SignatureLog, SignedAction } from '@bindery/contract/signatures';

export const TIME = '2026-03-01T12:00:00Z';

/** Who signs, with the real `ssh-keygen`. */
export class SigningKey {
  /** The private key; that with `.pub` is the public one. */
  readonly file: string;
  /** `ssh-ed25519 AAAA…`. */
  readonly key: string;

  constructor(folder: string, name: string, type = 'ed25519') {
    this.file = join(folder, name);
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', name, '-f', this.file]);
    this.key = readFileSync(`${this.file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
  }

  sign(statement: string, { purpose = 'bindery', options = [] as string[] } = {}): string {
    const words = ['-Y', 'sign', '-n', purpose, '-f', this.file, ...options];
    return execFileSync('ssh-keygen', words, { input: statement, stdio: 'pipe' }).toString();
  }

  entry(statement: string): LogEntry {
    return { statement, signature: this.sign(statement) };
  }

  /** Adds an entry to a log. */
  append(log: SignatureLog, action: SignedAction): void {
    log.append(this.entry(log.next(action, TIME)));
  }
}
