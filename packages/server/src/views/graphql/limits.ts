import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  Lexer,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { tooComplex } from './errors.ts';

/** Bounds of a document: its tokens, and how deep its brackets nest, values and types included. */
const LEXICAL_LIMITS = { tokens: 2_000, nesting: 64 } as const;

/** Bounds of one operation, with every fragment counted as often as it is spread. */
const GRAPHQL_LIMITS = {
  depth: 16,
  fields: 500,
  rootFields: 20,
  aliases: 30,
  directives: 30,
} as const;

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Returns why a document is too large to be parsed, or null. The parser recurses for every opening bracket, so
 * unbounded nesting would exhaust the stack. Throws a syntax error if there is no valid next token.
 */
export function lexicalProblem(source: string): GraphQLError | null {
  const lexer = new Lexer(new Source(source));
  let nesting = 0;
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens++) {
    const { kind } = lexer.token;
    if (OPENING.has(kind)) nesting++;
    if (CLOSING.has(kind)) nesting--;
    if (tokens > LEXICAL_LIMITS.tokens) {
      return tooComplex(`The query has more than ${LEXICAL_LIMITS.tokens} tokens.`);
    }
    if (nesting > LEXICAL_LIMITS.nesting) {
      return tooComplex(`The query nests brackets more than ${LEXICAL_LIMITS.nesting} deep.`);
    }
  }
  return null;
}

interface Cost {
  depth: number;
  fields: number;
  aliases: number;
  directives: number;
}

const NOTHING: Cost = { depth: 0, fields: 0, aliases: 0, directives: 0 };

/**
 * Returns why a document is too much work, or null. Takes time linear in the document: a fragment's cost is counted
 * once and reused wherever it is spread. (A fragment that spreads itself costs nothing here; validation rejects it.)
 */
export function complexityProblem(document: DocumentNode): GraphQLError | null {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, Cost>();

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const cost = costOf(definition.selectionSet);
    const rootFields = definition.selectionSet.selections.length;
    const found: [keyof typeof GRAPHQL_LIMITS, number][] = [
      ['depth', cost.depth],
      ['fields', cost.fields],
      ['rootFields', rootFields],
      ['aliases', cost.aliases],
      ['directives', cost.directives + (definition.directives?.length ?? 0)],
    ];
    for (const [limit, value] of found) {
      if (value > GRAPHQL_LIMITS[limit]) {
        return tooComplex(`The query has ${value} ${limit}; ${GRAPHQL_LIMITS[limit]} are allowed.`);
      }
    }
  }
  return null;

  function costOf(selectionSet: SelectionSetNode): Cost {
    return selectionSet.selections.reduce<Cost>(
      (sum, selection) => add(sum, selectionCost(selection), selection.directives?.length ?? 0),
      NOTHING,
    );
  }

  function selectionCost(selection: SelectionNode): Cost {
    switch (selection.kind) {
      case Kind.FIELD:
        return fieldCost(selection);
      case Kind.INLINE_FRAGMENT:
        return costOf(selection.selectionSet);
      case Kind.FRAGMENT_SPREAD:
        return fragmentCost(selection.name.value);
    }
  }

  function fieldCost({ alias, selectionSet }: FieldNode): Cost {
    const below = selectionSet ? costOf(selectionSet) : NOTHING;
    return {
      depth: below.depth + 1,
      fields: below.fields + 1,
      aliases: below.aliases + (alias ? 1 : 0),
      directives: below.directives,
    };
  }

  function fragmentCost(name: string): Cost {
    const counted = known.get(name);
    if (counted) return counted;
    known.set(name, NOTHING);
    const fragment = fragments.get(name);
    const cost = fragment ? costOf(fragment.selectionSet) : NOTHING;
    known.set(name, cost);
    return cost;
  }
}

function add(sum: Cost, one: Cost, directives: number): Cost {
  return {
    depth: Math.max(sum.depth, one.depth),
    fields: sum.fields + one.fields,
    aliases: sum.aliases + one.aliases,
    directives: sum.directives + one.directives + directives,
  };
}
