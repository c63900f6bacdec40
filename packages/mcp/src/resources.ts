import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { BOUNDS } from './arguments.ts';
import type { Catalog } from './catalog.ts';
import { ToolError } from './tool-error.ts';
import { revisionInput } from './tools/names.ts';

/** The document that hosts show with the answers of tools (MCP Apps): the viewer of assets. */
export interface ViewerApp {
  /** The origin of the service, from which the document loads the code of the viewer. */
  readonly origin: string;
  /** Reads the document as it was built. */
  readDocument(): Promise<string>;
}

type OnDefect = (error: unknown) => void;

/** Where hosts find it. */
export const VIEWER_URI = 'ui://bindery/viewer';

const VIEWER_TYPE = 'text/html;profile=mcp-app';

/** Where the document is told the origin. */
const SERVICE = '<meta name="bindery-service" content="">';

export function registerViewer(
  server: McpServer,
  { origin, readDocument }: ViewerApp,
  onDefect: OnDefect,
): void {
  const csp = { connectDomains: [origin] };
  const _meta = { ui: { csp, prefersBorder: true } };
  const description = 'Shows an asset that turns, or the hits of a search.';
  const config = { title: 'Viewer', description, mimeType: VIEWER_TYPE, _meta };
  server.registerResource('viewer', VIEWER_URI, config, async () => {
    const document = await readDocument().catch((error) => refuse(error, onDefect));
    if (!document.includes(SERVICE)) throw noResource('This service has no viewer for agents.');
    const text = document.replace(SERVICE, SERVICE.replace('""', `"${origin}"`));
    return { contents: [{ uri: VIEWER_URI, mimeType: VIEWER_TYPE, text, _meta }] };
  });
}

/** Offers the files of libraries as resources: the viewer reads them through its host, which has the token. */
export function registerFiles(
  server: McpServer,
  catalog: Pick<Catalog, 'readFile'>,
  onDefect: OnDefect,
): void {
  const template = new ResourceTemplate('bindery://{namespace}/{library}/{+path}', { list: undefined });
  const description = `A file of a library, of at most ${BOUNDS.resource / 2 ** 20} MiB; the library may name a release.`;
  server.registerResource('file', template, { title: 'File', description }, async (uri, variables) => {
    const [namespace, library, path] = ['namespace', 'library', 'path'].map((name) =>
      decoded(variables[name]),
    );
    const named = revisionInput.safeParse(`${namespace}/${library}`);
    if (!named.success || path === undefined) throw noResource('There is no such library.');
    const { bytes, size } = await catalog
      .readFile(named.data, path, BOUNDS.resource)
      .catch((error) => refuse(error, onDefect));
    if (bytes === null) throw noResource(`This file has ${size} bytes; at most ${BOUNDS.resource} are read.`);
    const blob = Buffer.from(bytes).toString('base64');
    return { contents: [{ uri: uri.href, mimeType: 'application/octet-stream', blob }] };
  });
}

function decoded(variable: string | string[] | undefined): string | undefined {
  try {
    return variable === undefined ? undefined : decodeURIComponent([variable].flat().join('/'));
  } catch {
    return undefined;
  }
}

function refuse(error: unknown, onDefect: OnDefect): never {
  if (error instanceof ToolError) throw noResource(`This cannot be read (${error.code}).`);
  onDefect(error);
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on this server.');
}

function noResource(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
