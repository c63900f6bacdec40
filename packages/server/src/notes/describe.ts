import type { Note } from '@bindery/contract';
import type { ReadableNote } from '../access/notes.ts';

export function describeNote({ row, namespace, viewerCanWrite }: ReadableNote): Note {
  return {
    id: row.id,
    namespace,
    name: row.name,
    visibility: row.visibility,
    viewerCanWrite,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
