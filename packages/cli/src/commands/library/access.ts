import { routes, VISIBILITIES } from '@bindery/contract/wire';
import { libraryParams } from '@bindery/sdk';
import { argument, defineCommand, flag, oneOf } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { library } from './inputs.ts';

export const share = defineCommand({
  name: 'share',
  summary: 'Make, change or remove the share token of a library',
  description:
    'Whoever holds the token may read the library, as with "bindery library pull --share <token>".',
  inputs: {
    library,
    rotate: flag('a new token; the old one opens nothing any more'),
    off: flag('no token any more'),
  },
  examples: [
    ['bindery library share acme/robots', 'print the token, made where there is none'],
    ['bindery library share acme/robots --rotate', 'a new one'],
    ['bindery library share acme/robots --off', 'end it'],
  ],
  async run({ library, rotate, off }, context) {
    if (rotate && off) throw usageError('--rotate and --off exclude each other.');
    return (await context.signedInClient()).call(routes.libraries.patchLibrary, {
      params: libraryParams(library),
      body: { share: off ? false : rotate ? 'rotate' : true },
    });
  },
  render({ namespace, name, shareToken }, output) {
    const library = `${namespace}/${name}`;
    if (!shareToken) return output.note(`${library} has no share token now.`);
    output.line(shareToken);
    output.note(`Whoever has it may read: bindery library pull ${library} --share <token> -o <dir>`);
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
    ['bindery library visibility acme/robots public', 'everybody may read it'],
    ['bindery library visibility acme/robots private', 'members and holders of its share token alone'],
  ],
  run: async ({ library, visibility }, context) =>
    (await context.signedInClient()).call(routes.libraries.patchLibrary, {
      params: libraryParams(library),
      body: { visibility },
    }),
  render: ({ namespace, name, visibility }, output) =>
    output.line(`${namespace}/${name} is ${visibility} now.`),
});
