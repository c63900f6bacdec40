import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** What a name looks like in a `search_text` column. */
export function searchText(...names: string[]): string {
  return names.map((name) => name.toLowerCase()).join('\n');
}

/** A literal, case-insensitive substring of a `search_text` column. An empty search matches everything. */
export function matchesSearch(column: string, search: string): RawBuilder<SqlBool> {
  return like(column, `%${escapePattern(search.toLowerCase())}%`);
}

/** The same for a column in which names are as people wrote them. Of other alphabets SQLite knows no capitals. */
export function matchesName(column: string, search: string): RawBuilder<SqlBool> {
  const pattern = `%${escapePattern(search.toLowerCase())}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** Rows whose column starts with the text. */
export function matchesPrefix(column: string, prefix: string): RawBuilder<SqlBool> {
  return like(column, `${escapePattern(prefix)}%`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function like(column: string, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
