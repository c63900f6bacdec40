import { printSchema } from 'graphql';
import { schema } from './schema.ts';

/** Returns the schema as it is committed in the contract. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`;
}
