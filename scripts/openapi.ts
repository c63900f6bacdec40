import { writeFileSync } from 'node:fs';
import { openApiText } from '../packages/server/src/views/openapi/document.ts';

writeFileSync(new URL('../docs/openapi.json', import.meta.url), await openApiText());
