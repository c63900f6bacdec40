import { defineCommand } from '../command.ts';
import { VERSION } from '../version.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve agents on this machine over the Model Context Protocol',
  description:
    'Speaks the protocol on stdin and stdout until stdin is closed; an agent starts it, and nobody types into it. Its tools ' +
    'may do what the stored login or BINDERY_TOKEN may do, so give it a token that reads where reading is enough.',
  inputs: {},
  examples: [['bindery mcp', 'the command to enter in the settings of an agent']],
  async run(_, context) {
    const [{ catalogTools, newMcpServer }, { serveOverStdio }, { remoteCatalog }, { localParts }] =
      await Promise.all([
        import('@bindery/mcp'),
        import('@bindery/mcp/stdio'),
        import('../mcp/remote-catalog.ts'),
        import('./library/local-parts.ts'),
      ]);
    const { cacheFolder } = await localParts(context);
    const tools = catalogTools(remoteCatalog(await context.client(), cacheFolder));
    const onDefect = (error: unknown) => context.output.warn(String(error));
    await serveOverStdio(() => newMcpServer({ version: VERSION, tools, onDefect }), context.signal);
  },
  render: () => {},
});
