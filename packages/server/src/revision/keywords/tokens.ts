/**
 * Splits text into its tokens: maximal runs of `[a-z0-9]` after ASCII lower-casing. All other characters are
 * separators, so text in another script has no tokens.
 */
export function tokenize(text: string): string[] {
  return text.match(/[A-Za-z0-9]+/g)?.map((run) => run.toLowerCase()) ?? [];
}

/** Returns the tokens of a query, each once. */
export function queryTokens(query: string): string[] {
  return [...new Set(tokenize(query))];
}
