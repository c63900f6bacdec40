import { defineCommand } from '../../command.ts';
import { count, formatBytes, formatNumber } from '../../output/text.ts';
import { all, asset, library, share, target, verify } from './inputs.ts';
import { localParts } from './local-parts.ts';

export const pull = defineCommand({
  name: 'pull',
  summary: 'Bring a library, or one asset of it, into a folder',
  description:
    'Files that are there byte for byte are skipped, every byte that is fetched is verified before it is seen, and an ' +
    'interrupted pull goes on where it stopped. A file that differs from the library is replaced; files that the library ' +
    'does not have are never touched.',
  inputs: { library, out: target, asset, all, verify, share },
  examples: [
    ['bindery library pull acme/robots -o robots', 'the whole library'],
    ['bindery library pull acme/robots --asset arm -o robots', 'one asset with everything that it needs'],
  ],
  async run({ library, out, share, ...selection }, context) {
    const { pullLibrary } = await import('@bindery/sdk/libraries');
    const parts = await localParts(context);
    return pullLibrary(await context.client(), { ...library, share }, out, { ...parts, ...selection });
  },
  render({ library, revision, asset, fetched, replaced, unchanged, folder }, output) {
    const what = asset === null ? library : `${library}/${asset}`;
    if (fetched.files === 0) {
      output.line(
        `${what} is up to date in ${folder} (revision ${revision}, ${count(unchanged.files, 'file')}).`,
      );
      return;
    }
    const instead = replaced === 0 ? '' : ` (${formatNumber(replaced)} in place of what was there)`;
    const left = unchanged.files === 0 ? '' : `, ${count(unchanged.files, 'file')} unchanged`;
    output.line(
      `Pulled ${what} revision ${revision} into ${folder}: ${count(fetched.files, 'file')}, ${formatBytes(fetched.bytes)} fetched and verified${instead}${left}.`,
    );
  },
});
