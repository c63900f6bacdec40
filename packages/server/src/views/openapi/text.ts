import { readVersion } from '../../version.ts';
import { openApiDocument } from './document.ts';

/** The document as it is served and as `docs/openapi.json` holds it. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await openApiDocument(readVersion()), null, 2)}\n`;
}
