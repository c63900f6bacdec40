import { readFile } from 'node:fs/promises';
import { defineCommand, option } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { formatCount } from '../../output/text.ts';
import { library, share } from './inputs.ts';
import { key, signOptions } from './signing.ts';

export const signersCommand = defineCommand({
  name: 'signers',
  summary: 'Show, allow and revoke the keys that sign releases of a library',
  description:
    'Changes are entries of the signature log of the library, signed like releases: the first key allows itself, and any ' +
    'allowed key allows and revokes others. A key that is revoked signs nothing further, for good; what it signed stays signed.',
  inputs: {
    library,
    allow: option('<file>', 'allow this public key, such as ~/.ssh/id_ed25519.pub'),
    revoke: option('<file>', 'revoke this public key'),
    key,
    share,
  },
  examples: [
    ['bindery library signers acme/robots', 'who may sign, and the root of the log'],
    [
      'bindery library signers acme/robots --allow ~/.ssh/id_ed25519.pub',
      'begin to sign, or let another sign',
    ],
    ['bindery library signers acme/robots --revoke old.pub --key new', 'after a key was replaced'],
  ],
  async run({ library, allow, revoke, key, share }, context) {
    if (allow !== undefined && revoke !== undefined)
      throw usageError(
        '--allow and --revoke exclude each other.',
        'Allow the new key first, then revoke the old one.',
      );
    const { fingerprintOf, readSignatureLog, signEntry } = await import('@bindery/sdk/signatures');
    const options = await signOptions(key, context);
    const file = allow ?? revoke;
    const changed =
      file === undefined
        ? null
        : ({ kind: revoke === undefined ? 'allow' : 'revoke', key: await readKey(file) } as const);
    const client = changed === null ? await context.client() : await context.signedInClient();
    const { log } =
      changed === null
        ? await readSignatureLog(client.baseUrl, { ...library, share }, async () => client, options)
        : await signEntry(client, library, changed, options);
    return {
      library: log.library,
      signers: log.signers().map((signer) => ({ fingerprint: fingerprintOf(signer), key: signer })),
      entries: log.entries.length,
      root: log.root(),
    };
  },
  render({ library, signers, entries, root }, output) {
    if (entries === 0) return output.line(`Nobody signs ${library}. --allow begins its signature log.`);
    for (const { fingerprint } of signers) output.line(fingerprint);
    output.note(`The signature log has ${formatCount(entries, 'entry', 'entries')} and the root ${root}.`);
  },
});

/** Returns a public key without its comment. */
async function readKey(file: string): Promise<string> {
  const [type = '', key = ''] = (await readFile(file, 'utf8')).trim().split(/\s+/);
  if (type === 'ssh-ed25519') return `${type} ${key}`;
  throw usageError(
    `${file} is not a public key of the type ssh-ed25519.`,
    'Make one with "ssh-keygen -t ed25519".',
  );
}
