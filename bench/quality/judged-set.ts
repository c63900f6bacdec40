import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '@bindery/contract';

/** A query with the assets that are relevant, as `<library>/<id>`; none if it asks for what is not there. */
export interface JudgedQuery {
  q: string;
  type: string;
  relevant: string[];
}

/** A library of a set: a folder that is pushed, or a manifest whose files nobody reads. */
export type SetLibrary = { name: string; folder: string } | { name: string; manifest: Manifest };

export interface JudgedSet {
  queries: JudgedQuery[];
  libraries: SetLibrary[];
  /** The public collections that the libraries are of, if that is known. */
  collections: Collection[];
}

/** A public collection that the queries of this project ask for. */
export interface Collection {
  /** The name of its library, and of the folder of its clone. */
  name: string;
  repository: string;
  commit: string;
  /** Where its assets are in the clone. */
  folder: string;
}

/** What a folder of a judged set holds. */
export const SET = { queries: 'queries.json', manifests: 'manifests', collections: 'collections.json' };

const own = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Reads the judged set of a folder: one written by `--write`; folders with a `bindery.yml`, and `queries.json`; or clones
 * of the public collections, of which the queries of this project are asked. Null if it is none of them.
 *
 * @param questions the file of queries of this project, asked in place of the set's own
 */
export function readJudgedSet(folder: string, questions = SET.queries): JudgedSet | null {
  const manifests = join(folder, SET.manifests);
  if (existsSync(manifests)) {
    const libraries = readdirSync(manifests).map((file) => ({
      name: basename(file, '.json'),
      manifest: readJson<Manifest>(join(manifests, file)),
    }));
    const collections = readJson<Collection[]>(join(folder, SET.collections));
    const own = questions === SET.queries ? queriesIn(folder) : askedOf(collections, questions);
    return { queries: own, libraries, collections };
  }
  if (existsSync(join(folder, SET.queries))) {
    const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'bindery.yml')));
    const libraries = names.map((name) => ({ name, folder: join(folder, name) }));
    return { queries: queriesIn(folder), libraries, collections: [] };
  }
  const collections = readJson<Collection[]>(own(SET.collections)).filter(({ name }) =>
    existsSync(join(folder, name)),
  );
  if (collections.length === 0) return null;
  return {
    queries: askedOf(collections, questions),
    libraries: collections.map(({ name, folder: inside }) => ({ name, folder: join(folder, name, inside) })),
    collections,
  };
}

/** Returns the queries of this project whose relevant assets are all in these collections. */
function askedOf(collections: readonly Collection[], questions: string): JudgedQuery[] {
  const names = new Set(collections.map(({ name }) => name));
  return readJson<JudgedQuery[]>(own(questions)).filter(({ relevant }) =>
    relevant.every((id) => names.has(id.slice(0, id.indexOf('/')))),
  );
}

function queriesIn(folder: string): JudgedQuery[] {
  return readJson<JudgedQuery[]>(join(folder, SET.queries));
}

function readJson<Value>(file: string): Value {
  return JSON.parse(readFileSync(file, 'utf8')) as Value;
}

/** Returns the queries with the library of each relevant asset, which is left out where ids are unique. */
export function qualified(
  queries: readonly JudgedQuery[],
  manifests: ReadonlyMap<string, Manifest>,
): JudgedQuery[] {
  const libraryOf = new Map(
    [...manifests].flatMap(([name, { assets }]) => assets.map(({ id }) => [id, name] as const)),
  );
  return queries.map((query) => ({
    ...query,
    relevant: query.relevant.map((id) => (id.includes('/') ? id : `${libraryOf.get(id)}/${id}`)),
  }));
}
