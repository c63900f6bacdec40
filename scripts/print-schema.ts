import { writeFileSync } from 'node:fs';
import { printedSchema } from '../packages/server/src/views/graphql/schema.ts';

writeFileSync(new URL('../packages/contract/src/graphql/schema.graphql', import.meta.url), printedSchema());
