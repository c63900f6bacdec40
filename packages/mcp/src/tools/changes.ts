import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { limitPaths } from './folders.ts';
import { numberedInput } from './names.ts';

const input = z.strictObject({
  from: numberedInput.describe('The earlier one: acme/robots@v1, or acme/robots#7 for revision 7.'),
  to: numberedInput.optional().describe('The later one; the current revision if omitted.'),
});

const ids = z.array(z.string());

const output = z.object({
  library: z.string(),
  from: z.int(),
  to: z.int(),
  counts: z.object({ added: z.int(), removed: z.int(), changed: z.int() }),
  authored: z.object({
    added: ids,
    removed: ids,
    changed: z
      .array(z.object({ assetId: z.string(), facts: ids }))
      .describe('The first, with what differs: files, title, license …'),
  }),
});

export const listChanges = (catalog: Catalog) =>
  defineTool({
    name: 'list_changes',
    title: 'What changed in a library',
    description:
      'Compares two releases or revisions of a library: which assets were added, removed and changed, and what of them. Revisions that were replaced ' +
      'can be compared while the service has them, by members.',
    annotations: READ_ONLY,
    input,
    output,
    async run({ from, to = { namespace: from.namespace, name: from.name } }) {
      const { namespace, name } = from;
      if (to.namespace !== namespace || to.name !== name)
        throw new ToolError(
          'invalid_parameter',
          'Both must be of one library.',
          'Name the same library twice.',
        );
      const changes = await catalog.readChanges(from, to);
      const { added, removed, changed } = changes;
      return {
        value: {
          library: `${namespace}/${name}`,
          from: changes.from,
          to: changes.to,
          counts: { added: added.length, removed: removed.length, changed: changed.length },
          ...authored({
            added: limitPaths(added),
            removed: limitPaths(removed),
            changed: changed
              .slice(0, BOUNDS.listedPaths)
              .map(({ id, facts }) => ({ assetId: id, facts: [...facts] })),
          }),
        },
      };
    },
  });
