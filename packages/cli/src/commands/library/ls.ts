import { formatLibraryAddress } from '@bindery/sdk';
import { defineCommand } from '../../command.ts';
import { formatBytes, formatCount, sanitizeLine, shortHash } from '../../output/text.ts';
import { all, assets, releasedAsset, selection, share } from './inputs.ts';
import { localOptions } from './local-options.ts';

export const ls = defineCommand({
  name: 'ls',
  summary: 'List the files of a library or of some of its assets',
  inputs: { library: releasedAsset, asset: assets, all, share },
  examples: [
    ['bindery library ls acme/robots', 'every file that a pull would write'],
    ['bindery library ls acme/robots@v1.2/arm', 'those of one asset in a release'],
  ],
  async run({ library, share, ...chosen }, context) {
    const address = { ...library, share };
    const client = await context.client();
    const { readHead, readRemoteLibrary, selectArtifacts, selectFiles } = await import(
      '@bindery/sdk/reading'
    );
    const head = await readHead(client, address, context.signal);
    const selected = selection({ library, ...chosen });
    const { manifest, artifacts } = await readRemoteLibrary(client, address, head, {
      ...(await localOptions(context)),
      artifacts: (read) => selectArtifacts(read, selected),
    });
    const name = formatLibraryAddress(address);
    const files = [...selectFiles(name, manifest, artifacts, selected).values()];
    return {
      library: name,
      revision: head.row.revision,
      files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
    };
  },
  render({ files }, output) {
    output.table({
      headings: ['size', 'sha256', 'path'],
      rightAligned: [0],
      untruncated: true,
      rows: files.map(({ path, size, sha256 }) => [formatBytes(size), shortHash(sha256), sanitizeLine(path)]),
    });
    output.note(formatCount(files.length, 'file'));
  },
});
