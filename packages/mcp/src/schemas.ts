import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

type Described = StandardSchemaWithJSON<Record<string, unknown>>;

/**
 * The input of a tool as the protocol's library needs it to list the tool. It accepts everything: arguments are read with
 * `readArguments`, because the library reports wrong ones in its own words, without saying what to do.
 */
export function describedInput(schema: z.ZodObject): Described {
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> });
  return { '~standard': { ...standardOf(schema, INPUT), validate } };
}

export function describedOutput(schema: z.ZodObject): Described {
  return { '~standard': standardOf(schema, OUTPUT) };
}

function standardOf(schema: z.ZodObject, left: readonly string[]): Described['~standard'] {
  const standard = schema['~standard'] as Described['~standard'];
  const { input, output } = standard.jsonSchema;
  const short =
    (write: typeof input): typeof input =>
    (options) => {
      const { additionalProperties, ...root } = write(options);
      const isClosed = left === INPUT && additionalProperties !== undefined;
      return { ...shortened(root, left), ...(isClosed && { additionalProperties }) };
    };
  return { ...standard, jsonSchema: { input: short(input), output: short(output) } };
}

/**
 * Keys that models need not pay for in every conversation: lengths and patterns are in the error of whoever breaks them.
 * Of answers, which show themselves, the list has what is described.
 */
const INPUT = ['additionalProperties', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'];
const OUTPUT = [...INPUT, 'required', 'propertyNames'];

type Json = Record<string, unknown>;

function shortened(schema: Json, left: readonly string[]): Json {
  const { $schema, properties, ...rest } = schema;
  const entries = Object.entries(rest).filter(
    ([key, value]) =>
      !left.includes(key) &&
      Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER &&
      (key !== 'items' || left === INPUT || isDescribed(value)),
  );
  const short = entries.map(([key, value]) => [key, shortenedValue(value, left)]);
  return withoutAlternatives({
    // The dialect that the protocol assumes, except where a schema needs more of it.
    ...('$defs' in schema && { $schema }),
    ...Object.fromEntries(short),
    ...((left === INPUT || isDescribed(properties ?? {})) &&
      properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties as Json)
            .filter(([, one]) => left === INPUT || isDescribed(one))
            .map(([name, one]) => [name, shortenedValue(one, left)]),
        ),
      }),
  });
}

function isDescribed(schema: unknown): boolean {
  return JSON.stringify(schema).includes('"description":"');
}

function shortenedValue(value: unknown, left: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => shortenedValue(one, left));
  return typeof value === 'object' && value !== null ? shortened(value as Json, left) : value;
}

/** Alternatives of different types are one schema with several types. */
function withoutAlternatives({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return schema;
  const types = anyOf.map(({ type }: Json) => type);
  if (types.some((type) => typeof type !== 'string') || new Set(types).size < types.length)
    return { anyOf, ...schema };
  const { items, ...merged } = Object.assign({}, ...anyOf) as Json;
  // Of a text or a list of such, the list needs no schema of its own.
  const isListOfSame = types.includes('array') && types.includes('string');
  return { ...merged, ...(!isListOfSame && items !== undefined && { items }), ...schema, type: types };
}
