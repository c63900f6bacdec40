import { statSync } from 'node:fs';
import { defineCommand, option, text } from '../command.ts';
import { usageError } from '../output/command-error.ts';
import { VERSION } from '../version.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve agents on this machine over the Model Context Protocol',
  description:
    'Speaks the protocol on stdin and stdout until stdin is closed; it is started by an agent, not by hand. Its tools ' +
    'can do whatever the stored login or BINDERY_TOKEN can do, so use a read-only token if reading is enough. Only with ' +
    '--root does it pull into folders and publish them, and never outside that folder.',
  inputs: {
    root: option(
      '<dir>',
      'the folder below which agents can pull and push; without it they have no files',
      text,
    ),
  },
  examples: [
    ['bindery mcp', 'the command for the settings of an agent'],
    ['bindery mcp --root ~/scenes', 'for one that also works with folders there'],
  ],
  async run({ root }, context) {
    if (root !== undefined && !statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
      throw usageError(`${root} is not a folder.`, 'Create it first, or choose another with --root.');
    }
    const [
      { catalogTools, folderTools, newMcpServer },
      { serveOverStdio },
      { remoteCatalog, remoteViewer },
      { localWorkingCopies },
      { localOptions },
    ] = await Promise.all([
      import('@bindery/mcp'),
      import('@bindery/mcp/stdio'),
      import('../mcp/remote-catalog.ts'),
      import('../mcp/local-working-copies.ts'),
      import('./library/local-options.ts'),
    ]);
    const client = await context.client();
    const { progress: _, ...parts } = await localOptions(context);
    const catalog = remoteCatalog(client, parts.cacheFolder);
    const viewer = remoteViewer(client);
    const copies = root === undefined ? undefined : localWorkingCopies(client, root, parts);
    const tools = [...catalogTools(catalog, copies), ...(copies === undefined ? [] : folderTools(copies))];
    const onDefect = (error: unknown) => context.output.warn(String(error));
    await serveOverStdio(
      () => newMcpServer({ version: VERSION, tools, catalog, viewer, onDefect }),
      context.signal,
    );
  },
  render: () => {},
});
