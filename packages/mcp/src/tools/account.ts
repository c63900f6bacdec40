import { z } from 'zod';
import { authored } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';

const output = z.object({
  account: z
    .object({
      userName: z.string(),
      token: z.object({
        scope: z.string(),
        expiresAt: z.string().nullable(),
      }),
      namespaces: z.array(
        z.object({
          namespace: z.string(),
          kind: z.string(),
          role: z.string().nullable(),
        }),
      ),
      authored: z.object({ displayName: z.string() }),
    })
    .nullable(),
});

export const whoami = (catalog: Catalog) =>
  defineTool({
    name: 'whoami',
    title: 'Who is asking',
    description:
      'Shows the account of your token, its scope (with read, nothing can be published) and its namespaces; null without a token.',
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
