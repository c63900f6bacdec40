import type { LibraryAddress } from '@bindery/sdk';
import { argument, defineCommand, optionalArgument, type Parse, text, UsageProblem } from '../command.ts';
import { formatCount, formatFiles } from '../output/text.ts';
import { releaseAddress, share } from './library/inputs.ts';
import { localOptions } from './library/local-options.ts';
import { mirror, withMirror } from './library/mirror.ts';
import { readSigners, signers } from './library/signing.ts';

const release: Parse<LibraryAddress & { release: string }> = (value) => {
  const { release, ...library } = releaseAddress(value);
  if (release === undefined) throw new UsageProblem('expected a release, such as acme/robots@v1.2');
  return { ...library, release };
};

export const verify = defineCommand({
  name: 'verify',
  summary: 'Prove that a release is the one that an owner signed',
  description:
    'Every signature of the library is verified, and that its log continues what this machine has seen of it. The first time, whoever ' +
    'began the log is believed, unless --signers says whom to trust. With a folder, every file of it is compared with the release; with ' +
    'a mirror, every file there is read, and no service is asked.',
  inputs: {
    release: argument('<ns/name@release>', 'the release', release),
    dir: optionalArgument('<dir>', 'a folder that must have the files of the release', text),
    mirror,
    signers,
    share,
  },
  examples: [
    ['bindery verify acme/robots@v1.2', 'what the service has'],
    ['bindery verify acme/robots@v1.2 robots', 'what lies in a folder'],
    ['bindery verify acme/robots@v1.2 --mirror /media/stick/mirror', 'a USB stick, without any service'],
    ['bindery verify acme/robots@v1.2 --signers allowed_signers', 'signed by a key that you know'],
  ],
  async run({ release, dir, mirror: location, signers, share }, context) {
    const { fingerprintOf, verifyRelease } = await import('@bindery/sdk/signatures');
    const [parts, settings] = [await localOptions(context), await context.settings()];
    const trusted = await readSigners(signers);
    const { signature, ...result } = await withMirror(location, context, (opened) =>
      verifyRelease(settings.server, { ...release, share }, () => context.client(), {
        ...parts,
        mirror: opened,
        folder: dir,
        signers: trusted,
      }),
    );
    return { ...result, ...signature, signer: fingerprintOf(signature.key) };
  },
  render({ library, revision, signer, time, entry, log, isFirst, files }, output) {
    output.line(`${library} (revision ${revision}) is as ${signer} signed it at ${time}.`);
    if (files !== undefined) output.line(`${formatFiles(files)} read, each as it was signed.`);
    const entries = formatCount(log.entries, 'entry', 'entries');
    output.note(`Entry ${entry} of a signature log of ${entries} with the root ${log.root}.`);
    if (isFirst) output.note('This machine saw the log for the first time, and remembers it.');
  },
});
