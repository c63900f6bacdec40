import { readVersion } from '../../version.ts';
import { openApiDocument } from './document.ts';

/** Returns the document as it is served and as it is stored in `docs/openapi.json`. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await openApiDocument(readVersion()), null, 2)}\n`;
}
