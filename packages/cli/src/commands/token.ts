import type { PersonalAccessToken } from '@bindery/contract';
import { NAMESPACE_SLUG, routes } from '@bindery/contract/wire';
import type { Client } from '@bindery/sdk';
import {
  argument,
  type CommandGroup,
  defineCommand,
  flag,
  integer,
  oneOf,
  option,
  optionWithDefault,
  text,
} from '../command.ts';
import { CommandError } from '../output/command-error.ts';
import { EXIT } from '../output/exit-codes.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser } from '../parsers.ts';

const create = defineCommand({
  name: 'create',
  summary: 'Create a personal access token and print it once',
  description: 'For machines that cannot sign in with a browser: set it there as BINDERY_TOKEN.',
  inputs: {
    name: argument('<name>', 'what it is for', text),
    scope: optionWithDefault('<scope>', 'read or write', 'read', oneOf('read', 'write')),
    namespace: option('<slug>', 'restrict it to this namespace', nameParser(NAMESPACE_SLUG)),
    expires: option('<days>', 'days until it expires; by default never', integer({ min: 1, max: 3_650 })),
  },
  examples: [
    ['bindery token create laptop-sync', 'a read-only token'],
    ['BINDERY_TOKEN=$(bindery token create ci --scope write --expires 90)', 'for a build that publishes'],
  ],
  run: async ({ name, scope, namespace, expires }, context) =>
    (await context.signedInClient()).call(routes.login.createToken, {
      body: {
        name,
        scope,
        ...(namespace === undefined ? {} : { namespace }),
        ...(expires === undefined ? {} : { expiresInDays: expires }),
      },
    }),
  render({ token, name, scope, expiresAt }, output) {
    output.line(token);
    const end = expiresAt === null ? 'It does not expire.' : `It expires ${expiresAt}.`;
    output.note(`Token "${sanitizeLine(name)}" (${scope}). It is shown only once; keep it safe. ${end}`);
  },
});

const list = defineCommand({
  name: 'list',
  summary: 'List your personal access tokens',
  inputs: {},
  examples: [['bindery token list', 'their names, scopes and expiry; never the tokens themselves']],
  run: async (_, context) => (await context.signedInClient()).call(routes.login.listTokens, {}),
  render({ tokens }, output) {
    if (tokens.length === 0) output.note('You have no personal access tokens.');
    output.table({
      headings: ['id', 'name', 'scope', 'namespace', 'created', 'expires'],
      rows: tokens.map(({ id, name, scope, namespace, createdAt, expiresAt }) => [
        id,
        sanitizeLine(name),
        scope,
        namespace ?? '-',
        createdAt,
        expiresAt ?? '-',
      ]),
    });
  },
});

const revoke = defineCommand({
  name: 'revoke',
  summary: 'Revoke a personal access token',
  inputs: {
    token: argument('<id or name>', 'as shown by "bindery token list"', text),
    yes: flag('skip the confirmation prompt', { short: '-y' }),
  },
  examples: [['bindery token revoke ci', 'by its name, if only one has it']],
  async run({ token, yes }, context) {
    const client = await context.signedInClient();
    const { id, name } = await findOwnToken(client, token);
    await context.confirm(`Revoke token "${sanitizeLine(name)}"?`, { yes, nonInteractive: 'go ahead' });
    await client.call(routes.login.deleteToken, { params: { id } });
    return { id, name, state: 'revoked' };
  },
  render: ({ name }, output) => output.line(`Revoked token "${sanitizeLine(name)}".`),
});

export const token: CommandGroup = {
  name: 'token',
  summary: 'List, create and revoke personal access tokens',
  commands: [create, list, revoke],
};

/** Finds the user's token with this id, else the only one with this name. */
async function findOwnToken(client: Client, idOrName: string): Promise<PersonalAccessToken> {
  const { tokens } = await client.call(routes.login.listTokens, {});
  const named = tokens.filter(({ name }) => name === idOrName);
  const found = tokens.find(({ id }) => id === idOrName) ?? (named.length === 1 ? named[0] : undefined);
  if (found) return found;
  const next = 'Look it up with "bindery token list".';
  if (named.length === 0) {
    throw new CommandError(EXIT.notFound, 'not_found', `You have no token "${idOrName}".`, { next });
  }
  throw new CommandError(EXIT.usage, 'ambiguous', `${named.length} tokens have the name "${idOrName}".`, {
    next: 'Use its id, as shown by "bindery token list".',
  });
}
