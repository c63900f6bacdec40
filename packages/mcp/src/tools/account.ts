import { z } from 'zod';
import { authored } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';

const output = z.object({
  account: z
    .object({
      userName: z.string().describe('Also the name of the personal namespace.'),
      token: z.object({
        scope: z.string().describe('read: nothing can be published with it.'),
        expiresAt: z.string().nullable(),
      }),
      namespaces: z.array(
        z.object({
          namespace: z.string(),
          kind: z.string(),
          role: z.string().nullable().describe('owner, member or reader.'),
        }),
      ),
      authored: z.object({ displayName: z.string() }),
    })
    .nullable()
    .describe('Null without a token: only what is public is visible.'),
});

export const whoami = (catalog: Catalog) =>
  defineTool({
    name: 'whoami',
    title: 'Who is asking',
    description:
      'Shows the account that your token belongs to, what the token allows, and the namespaces of the account.',
    annotations: READ_ONLY,
    input: z.strictObject({}),
    output,
    async run() {
      const profile = await catalog.readProfile();
      if (profile === null) return { value: { account: null } };
      const { user, namespaces, token } = profile;
      return {
        value: {
          account: {
            userName: user.userName,
            token: { scope: token.scope, expiresAt: token.expiresAt },
            namespaces: namespaces.map(({ slug, kind, viewerRole }) => ({
              namespace: slug,
              kind,
              role: viewerRole,
            })),
            ...authored({ displayName: user.displayName }),
          },
        },
      };
    },
  });
