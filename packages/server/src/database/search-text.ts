import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Returns the text of a `search_text` column for these names. */
export function searchText(...names: string[]): string {
  return names.map((name) => name.toLowerCase()).join('\n');
}

/** Matches a literal, case-insensitive substring of a `search_text` column. An empty search matches everything. */
export function matchesSearch(column: string, search: string): RawBuilder<SqlBool> {
  return like(column, `%${escapePattern(search.toLowerCase())}%`);
}

/** Like `matchesSearch`, for a column with names as people wrote them. SQLite ignores case only in ASCII letters. */
export function matchesName(column: string, search: string): RawBuilder<SqlBool> {
  const pattern = `%${escapePattern(search.toLowerCase())}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** Matches rows whose column starts with the text. */
export function matchesPrefix(column: string, prefix: string): RawBuilder<SqlBool> {
  return like(column, `${escapePattern(prefix)}%`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function like(column: string, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
