import * as contract from '@bindery/contract';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Schemas of the contract that the document names once and refers to. */
const NAMED = {
  User: contract.user,
  Namespace: contract.namespace,
  Membership: contract.membership,
  PersonalAccessToken: contract.personalAccessToken,
  LibrarySummary: contract.librarySummary,
  LibraryDetail: contract.libraryDetail,
  SearchHit: contract.searchHit,
  CrossLibraryHit: contract.crossLibraryHit,
  AssetDetail: contract.assetDetail,
  PresignedFile: contract.presignedFile,
  Transfer: contract.transfer,
  ProjectEntry: contract.projectEntry,
  ProjectCatalogPage: contract.projectCatalogPage,
  Bindr: contract.bindr,
  BindrChoicePage: contract.bindrChoicePage,
  Node: contract.node,
  Note: contract.note,
  NotePage: contract.notePage,
  LegacyBindr: contract.legacyBindr,
};

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id });

/** Collects the named schemas that a document refers to. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Converts the schema of client input. The service rejects unknown keys, and so does the schema. */
  input(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /** Converts the schema of a response. Later versions may add fields, so it allows unknown keys. */
  output(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output');
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, {
      io,
      metadata: names,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        if (io === 'output') delete jsonSchema.additionalProperties;
        simplify(jsonSchema, z.globalRegistry.get(zodSchema));
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs))
      this.schemas[name] = pointToComponents(definition);
    return pointToComponents(root);
  }
}

/** Omits bounds that every JSON number and time has anyway, and describes integers in queries as integers. */
function simplify(schema: JsonSchema, meta: Record<string, unknown> | undefined): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === 'date-time') delete schema.pattern;
  if (meta?.type === 'integer') schema.type = 'integer';
  if (meta?.maxLength !== undefined) schema.maxLength = meta.maxLength;
  if (meta?.integer) {
    const { min, max, default: fallback } = meta.integer as { min: number; max: number; default: number };
    delete schema.pattern;
    Object.assign(schema, { type: 'integer', minimum: min, default: fallback });
    if (max !== Number.MAX_SAFE_INTEGER) schema.maximum = max;
  }
}

function pointToComponents(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}
