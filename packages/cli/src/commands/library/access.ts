import { routes, VISIBILITIES } from '@bindery/contract/wire';
import { libraryParams } from '@bindery/sdk';
import { argument, defineCommand, flag, oneOf } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { library } from './inputs.ts';
import { pageOf, rawUrl } from './report.ts';

export const share = defineCommand({
  name: 'share',
  summary: 'Create, rotate or revoke the share token of a library',
  description: 'Anyone with the token can read the library, as with "bindery library pull --share <token>".',
  inputs: {
    library,
    rotate: flag('create a new token; the old one stops working'),
    off: flag('revoke the token'),
  },
  examples: [
    ['bindery library share acme/robots', 'print the token, creating one if there is none'],
    ['bindery library share acme/robots --rotate', 'a new one'],
    ['bindery library share acme/robots --off', 'revoke it'],
  ],
  async run({ library, rotate, off }, context) {
    if (rotate && off) throw usageError('--rotate and --off exclude each other.');
    const client = await context.signedInClient();
    const detail = await client.call(routes.libraries.patchLibrary, {
      params: libraryParams(library),
      body: { share: off ? false : rotate ? 'rotate' : true },
    });
    const { shareToken } = detail;
    if (!shareToken) return { ...detail, page: null, url: null };
    const url = rawUrl(client, { ...library, share: shareToken });
    return { ...detail, page: pageOf(client, library, shareToken), url };
  },
  render({ namespace, name, shareToken, page, url }, output) {
    const library = `${namespace}/${name}`;
    if (!shareToken) return output.note(`${library} no longer has a share token.`);
    output.line(shareToken);
    output.note(`Anyone with it can read the library: bindery library pull ${library} --share <token>`);
    output.note(`In a browser: ${page}`);
    output.note(`Its files: ${url}`);
  },
});

export const visibility = defineCommand({
  name: 'visibility',
  summary: 'Make a library public or private',
  inputs: {
    library,
    visibility: argument('<visibility>', 'private or public', oneOf(...VISIBILITIES)),
  },
  examples: [
    ['bindery library visibility acme/robots public', 'everybody can read it'],
    ['bindery library visibility acme/robots private', 'only members and holders of its share token'],
  ],
  run: async ({ library, visibility }, context) =>
    (await context.signedInClient()).call(routes.libraries.patchLibrary, {
      params: libraryParams(library),
      body: { visibility },
    }),
  render: ({ namespace, name, visibility }, output) =>
    output.line(`${namespace}/${name} is ${visibility} now.`),
});
