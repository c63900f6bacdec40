/** A catalog of assets as Blender's listing has it. */
export interface Catalog {
  path: string;
  simple_name?: string;
  uuids: string[];
}

/** The most catalogs; those beyond are left out. */
const MOST = 10_000;
const VERSION = 'VERSION 1';

/**
 * Reads files that name catalogs, `*.cats.txt`: a version, and in each line a UUID, a path and perhaps a short name. One of another version or
 * with other lines is passed over, as Blender does.
 */
export function catalogsIn(texts: readonly string[]): Catalog[] {
  const byId = new Map<string, { path: string; name: string }>();
  for (const text of texts) {
    const lines = text.split('\n').map((line) => line.trim());
    const told = lines.filter((line) => line !== '' && !line.startsWith('#') && line !== VERSION);
    const split = told.map((line) => line.split(':'));
    if (split.some(({ length }) => length < 2)) continue;
    for (const [id = '', path = '', ...name] of split) byId.set(id, { path, name: name.join(':') });
  }
  const byPath = new Map<string, Catalog>();
  for (const [id, { path, name }] of [...byId].slice(0, MOST)) {
    const known = byPath.get(path);
    if (known) known.uuids.push(id);
    else byPath.set(path, { path, ...(name !== '' && { simple_name: name }), uuids: [id] });
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}
