import {
  BREAK,
  type DocumentNode,
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  getNamedType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  visit,
} from 'graphql';
import { FieldCopies, typesOfProperties } from './copied-fields.ts';

/** The type of values that their resolvers have already copied. */
const COPIED = new GraphQLScalarType({ name: 'Copied', coerceOutputValue: (value) => value });

/**
 * Returns the schema to execute. Values with nothing to resolve are copied as a whole by the resolver they come from,
 * so that the executor need not visit every field of every element of a list. Only for queries for which `mayBeCopied`
 * is true.
 */
export function executableSchema(schema: GraphQLSchema): GraphQLSchema {
  const objects = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !isIntrospectionType(type));
  const copied = typesOfProperties(objects);
  const copies = new FieldCopies();
  const resolved = new Map(
    objects
      .filter((type) => !copied.has(type))
      .map((type) => {
        const { fields, ...config } = type.toConfig();
        const entries = () => Object.entries(fields).map(([name, field]) => [name, executable(field)]);
        return [
          type,
          new GraphQLObjectType({ ...config, fields: () => Object.fromEntries(entries()) }),
        ] as const;
      }),
  );
  const { query } = schema.toConfig();
  return new GraphQLSchema({ query: query && resolved.get(query) });

  function executable(field: GraphQLFieldConfig<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
    const { type, resolve } = field;
    const named = getNamedType(type);
    if (!isObjectType(named)) return field;
    if (!copied.has(named)) return { ...field, type: replaced(type) };
    return {
      ...field,
      type: isNonNullType(type) ? new GraphQLNonNull(COPIED) : COPIED,
      resolve: async (source, input, context, info) =>
        copies.of(type, info)(await resolve?.(source, input, context, info)),
    };
  }

  function replaced(type: GraphQLOutputType): GraphQLOutputType {
    return isNonNullType(type) ? new GraphQLNonNull(replacedNullable(type.ofType)) : replacedNullable(type);
  }

  function replacedNullable(type: GraphQLNullableOutputType): GraphQLNullableOutputType {
    if (isListType(type)) return new GraphQLList(replaced(type.ofType));
    return (isObjectType(type) && resolved.get(type)) || type;
  }
}

/**
 * Whether the executable schema returns the same for a valid query as the schema itself. It does unless the query asks
 * about the schema, has directives, which may depend on variables, or uses `__proto__` as an alias.
 */
export function mayBeCopied(document: DocumentNode): boolean {
  let may = true;
  const refuse = () => {
    may = false;
    return BREAK;
  };
  visit(document, {
    Directive: refuse,
    Field: ({ alias, name }) =>
      alias?.value === '__proto__' || (name.value.startsWith('__') && name.value !== '__typename')
        ? refuse()
        : undefined,
  });
  return may;
}
