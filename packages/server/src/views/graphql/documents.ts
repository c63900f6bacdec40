import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { complexityProblem, GRAPHQL_LIMITS } from './limits.ts';

/** How many documents are kept, and the longest (characters) that is. */
const CACHE = { documents: 500, length: 10_000 };

interface CachedDocument {
  document: DocumentNode;
  problems: readonly GraphQLError[] | null;
  uses: number;
  /** By operation name; null where the query cannot be compiled. */
  compiled: Map<string, CompiledQuery | null>;
}

/**
 * Parses, validates and compiles queries, each once: clients send the same few documents again and again. A document
 * is compiled when it comes for the second time, so that a flood of different ones costs no code generation.
 */
export class DocumentCache {
  readonly #schema: GraphQLSchema;
  readonly #bySource = new Map<string, CachedDocument>();
  readonly #byDocument = new WeakMap<DocumentNode, CachedDocument>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  parse(source: string): DocumentNode {
    const cached = this.#bySource.get(source);
    if (cached) {
      this.#bySource.delete(source);
      this.#bySource.set(source, cached);
      return cached.document;
    }
    const document = parse(source, { noLocation: false, maxTokens: GRAPHQL_LIMITS.tokens });
    const entry: CachedDocument = { document, problems: null, uses: 0, compiled: new Map() };
    this.#byDocument.set(document, entry);
    if (source.length <= CACHE.length) this.#remember(source, entry);
    return document;
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    const entry = this.#byDocument.get(document);
    if (entry?.problems) return entry.problems;
    const complexity = complexityProblem(document);
    const problems = complexity
      ? [complexity]
      : validate(this.#schema, document, undefined, { maxErrors: 20 });
    if (entry) entry.problems = problems;
    return problems;
  }

  execute(operation: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
    const compiled = this.#compile(operation);
    if (!compiled) return execute(operation) as ExecutionResult | Promise<ExecutionResult>;
    return compiled.query(operation.rootValue, operation.contextValue, operation.variableValues ?? {});
  }

  #compile({ document, operationName }: ExecutionArgs): CompiledQuery | null {
    const entry = this.#byDocument.get(document);
    if (!entry || ++entry.uses < 2) return null;
    const name = operationName ?? '';
    const known = entry.compiled.get(name);
    if (known !== undefined) return known;
    const result = compileQuery(this.#schema, document, name);
    const compiled = isCompiledQuery(result) ? result : null;
    entry.compiled.set(name, compiled);
    return compiled;
  }

  #remember(source: string, entry: CachedDocument): void {
    this.#bySource.set(source, entry);
    if (this.#bySource.size <= CACHE.documents) return;
    const oldest = this.#bySource.keys().next().value;
    if (oldest !== undefined) this.#bySource.delete(oldest);
  }
}
