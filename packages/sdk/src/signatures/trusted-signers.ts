import { SIGNATURE_NAMESPACE } from '@bindery/contract/signatures';
import { ProjectFileError } from '../failures.ts';
import { compileGlob, globProblem } from '../globs/glob.ts';

/** The keys that a caller trusts: who may sign which libraries. */
export type TrustedSigners = readonly { signs: (library: string) => boolean; key: string }[];

/**
 * Parses a file of `ssh-keygen` with allowed signers: in each line the libraries, such as `ada/arms,ada/kitchen` or
 * `ada/*`, and a key. Throws `ProjectFileError` for lines that would mean something else to OpenSSH.
 */
export function parseTrustedSigners(text: string, file: string): TrustedSigners {
  const lines = text.split('\n').map((line, at) => ({ line: at + 1, words: line.trim().split(/\s+/) }));
  return lines
    .filter(({ words: [first = ''] }) => first !== '' && !first.startsWith('#'))
    .map(({ line, words: [libraries = '', ...rest] }) => {
      const [type, key] = rest[0] === `namespaces="${SIGNATURE_NAMESPACE}"` ? rest.slice(1) : rest;
      const globs = libraries.split(',');
      if (type !== 'ssh-ed25519' || key === undefined || globs.some((glob) => globProblem(glob) !== null)) {
        const message = 'expected libraries and an Ed25519 key, such as "ada/* ssh-ed25519 AAAA…"';
        throw new ProjectFileError(file, [{ line, column: 1, message }]);
      }
      const matchers = globs.map(compileGlob);
      return { signs: (library) => matchers.some((matches) => matches(library)), key: `${type} ${key}` };
    });
}

/** That a release was signed; with `signers`, by one of them. */
export interface RequiredSignature {
  signers?: TrustedSigners | undefined;
}
