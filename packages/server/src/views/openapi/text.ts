import { readVersion } from '../../service/version.ts';
import { openApiDocument } from './document.ts';

/** The document as it is served and as `docs/openapi.json` holds it. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(readVersion()), null, 2)}\n`;
}
