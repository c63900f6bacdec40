import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import { complexityProblem, lexicalProblem } from './limits.ts';

/** How many documents are cached, and the longest one that is, in characters. */
const CACHE = { documents: 500, length: 10_000 };

/** Parses and validates each query once: clients send the same few documents repeatedly. */
export class DocumentCache {
  readonly #schema: GraphQLSchema;
  readonly #bySource = new LRUCache<string, DocumentNode>({ max: CACHE.documents });
  readonly #errors = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Throws a `GraphQLError` if the source is not GraphQL or is too large to be parsed. */
  parse(source: string): DocumentNode {
    const known = this.#bySource.get(source);
    if (known) return known;
    const problem = lexicalProblem(source);
    if (problem) throw problem;
    const document = parse(source);
    if (source.length <= CACHE.length) this.#bySource.set(source, document);
    return document;
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    const known = this.#errors.get(document);
    if (known) return known;
    const complexity = complexityProblem(document);
    const errors = complexity ? [complexity] : validate(this.#schema, document, undefined, { maxErrors: 20 });
    this.#errors.set(document, errors);
    return errors;
  }
}
