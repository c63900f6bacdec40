import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { issuePersonalAccessToken } from '../../packages/server/src/accounts/personal-access-tokens.ts';
import { openSqlite } from '../../packages/server/src/adapters/database/sqlite.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import { Actor } from '../../packages/server/test/actor.ts';
import { publish } from '../../packages/server/test/libraries/publish.ts';

const LIBRARIES = 40;
const PROJECTS = 100;
const NOTES = 300;

/** Tokens of two unrelated accounts. */
export interface Tokens {
  owner: string;
  stranger: string;
}

export async function createAccounts(dataDir: string): Promise<Tokens> {
  const db = openSqlite(join(dataDir, 'bindery.db'));
  try {
    await migrate(db);
    const parts = { db, clock: Date.now };
    const tokenOf = async (userName: string) => {
      const { accountId } = await createAccount(parts, {
        userName,
        displayName: userName,
        email: `${userName}@example.org`,
      });
      const issued = await issuePersonalAccessToken(parts, {
        accountId,
        familyId: null,
        name: 'bench',
        scope: 'write',
        namespace: null,
        expiresAt: null,
      });
      return issued.token;
    };
    return { owner: await tokenOf('owner'), stranger: await tokenOf('stranger') };
  } finally {
    await db.destroy();
  }
}

/** A hidden resource, and a missing one of the same kind. */
export interface Pair {
  kind: string;
  method: 'GET' | 'POST' | 'DELETE';
  hidden: string;
  missing: string;
}

/**
 * Fills one namespace that is invisible to others, and one in which they see a single public library; returns the
 * requests that a stranger can make for both. Hidden and missing names have the same length.
 */
export async function fillWorld(url: string, { owner }: Tokens): Promise<Pair[]> {
  const actor = new Actor(url, { authorization: `Bearer ${owner}` });
  for (const slug of ['secret', 'public']) await actor.post('/namespaces', { slug });
  const written = { assets: [{ id: 'mug', files: { 'mug/mug.txt': 'a mug' } }] };
  for (let index = 0; index < LIBRARIES; index++) await publish(actor, `secret/library-${index}`, written);
  await publish(actor, 'public/shown', { ...written, visibility: 'public' });
  await publish(actor, 'public/library', written);
  for (let index = 0; index < PROJECTS; index++) {
    await actor.post('/namespaces/secret/projects', { displayName: `project ${index}` });
  }
  await actor.post('/namespaces/public/projects', { displayName: 'hidden', slug: 'hidden' });
  for (let index = 0; index < NOTES; index++) {
    await actor.post('/namespaces/secret/notes', { name: `note ${index}`, projects: ['project-1'] });
  }
  const { body: note } = await actor.post<{ id: string }>('/namespaces/public/notes', {
    name: 'hidden',
    projects: ['hidden'],
  });
  const noSuchNote = note.id.replaceAll(/[0-9a-f]/g, (digit) => (digit === '7' ? '3' : '7'));
  const pair = (kind: string, path: (name: string) => string, [hidden, missing]: [string, string]): Pair => ({
    kind,
    method: 'GET',
    hidden: path(hidden),
    missing: path(missing),
  });
  const namespaces: [string, string] = ['secret', 'absent'];
  const libraries: [string, string] = ['library', 'nothing'];
  const removal = pair('library, to be removed', (name) => `/namespaces/public/libraries/${name}`, libraries);
  return [
    pair('namespace', (slug) => `/namespaces/${slug}`, namespaces),
    pair('libraries of a namespace', (slug) => `/namespaces/${slug}/libraries`, namespaces),
    pair('projects of a namespace', (slug) => `/namespaces/${slug}/projects`, namespaces),
    pair('library', (name) => `/namespaces/public/libraries/${name}`, libraries),
    pair('library of a hidden namespace', (slug) => `/namespaces/${slug}/libraries/library-1`, namespaces),
    pair('library, searched', (name) => `/namespaces/public/libraries/${name}/search?q=mug`, libraries),
    pair(
      'library, searched among others',
      (name) => `/library-search?q=mug&libraries=public/${name}`,
      libraries,
    ),
    { ...removal, method: 'DELETE' },
    pair('project', (slug) => `/namespaces/public/projects/${slug}`, ['hidden', 'absent']),
    pair('project of a hidden namespace', (slug) => `/namespaces/${slug}/projects/project-1`, namespaces),
    pair('Note', (id) => `/namespaces/public/notes/${id}`, [note.id, noSuchNote]),
  ];
}
