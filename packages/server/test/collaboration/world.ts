import { randomUUID } from 'node:crypto';
import type { NamespaceRole, ProjectPermissions, ProjectRole, Visibility } from '@bindery/contract';
import fc from 'fast-check';
import { searchText } from '../../src/database/queries.ts';
import type { Database } from '../../src/database/schema.ts';

/** Everybody who may have a role somewhere; `null` asks without a token. */
export const PEOPLE = ['ada', 'bob', 'eve'] as const;
export type Person = (typeof PEOPLE)[number];

export interface World {
  members: Partial<Record<Person, NamespaceRole>>;
  projects: { name: string; visibility: Visibility; grants: Partial<Record<Person, ProjectRole>> }[];
  notes: { name: string; visibility: Visibility; filedIn: number[] }[];
  bindrs: { project: number; name: string; tags: number[] }[];
}

const visibility = fc.constantFrom<Visibility>('private', 'public');
const name = fc.constantFrom('mug', 'Mug', 'Ähre', 'arm 50%', 'a_b', 'zebra', 'Ω');

export const worlds: fc.Arbitrary<World> = fc.record({
  members: fc.dictionary(fc.constantFrom(...PEOPLE), fc.constantFrom<NamespaceRole>('owner', 'member')),
  projects: fc.array(
    fc.record({
      name,
      visibility,
      grants: fc.dictionary(
        fc.constantFrom(...PEOPLE),
        fc.constantFrom<ProjectRole>('reader', 'writer', 'admin'),
      ),
    }),
    { maxLength: 5 },
  ),
  notes: fc.array(fc.record({ name, visibility, filedIn: fc.uniqueArray(fc.nat(4), { maxLength: 3 }) }), {
    maxLength: 4,
  }),
  bindrs: fc.array(
    fc.record({ project: fc.nat(4), name, tags: fc.uniqueArray(fc.nat(3), { maxLength: 2 }) }),
    { maxLength: 5 },
  ),
});

/** A world as it stands in a database: everything under ids, in a namespace of its own. */
export interface InsertedWorld {
  slug: string;
  members: World['members'];
  projects: (World['projects'][number] & { id: string; slug: string })[];
  notes: (World['notes'][number] & { id: string })[];
  nodes: { id: string; note: number; project: number; bindrs: string[] }[];
  bindrs: { id: string; name: string; project: number }[];
}

/** Writes a world straight into the tables, in a new namespace. */
export async function insertWorld(
  db: Database,
  accounts: Record<Person, string>,
  world: World,
): Promise<InsertedWorld> {
  const namespaceId = randomUUID();
  const slug = `w${namespaceId.slice(0, 8)}`;
  const now = Date.now();
  await db
    .insertInto('namespaces')
    .values({ id: namespaceId, slug, display_name: slug, kind: 'team', created_at: now })
    .execute();
  for (const [person, role] of Object.entries(world.members)) {
    await db
      .insertInto('memberships')
      .values({ namespace_id: namespaceId, account_id: accounts[person as Person], role })
      .execute();
  }

  const projects = world.projects.map((project, index) => ({
    ...project,
    id: randomUUID(),
    slug: `p${index}`,
  }));
  for (const project of projects) {
    await db
      .insertInto('projects')
      .values({
        id: project.id,
        namespace_id: namespaceId,
        slug: project.slug,
        display_name: project.name,
        search_text: searchText(project.name, project.slug),
        description: '',
        visibility: project.visibility,
        created_at: now,
        updated_at: now,
      })
      .execute();
    for (const [person, role] of Object.entries(project.grants)) {
      await db
        .insertInto('project_grants')
        .values({ project_id: project.id, account_id: accounts[person as Person], role })
        .execute();
    }
  }

  const notes = world.notes.map((note) => ({ ...note, id: randomUUID() }));
  const nodes: InsertedWorld['nodes'] = [];
  for (const [index, note] of notes.entries()) {
    await db
      .insertInto('notes')
      .values({
        id: note.id,
        namespace_id: namespaceId,
        name: note.name,
        search_text: searchText(note.name),
        visibility: note.visibility,
        created_at: now,
        updated_at: now,
      })
      .execute();
    for (const project of note.filedIn) {
      const owner = projects[project];
      if (!owner) continue;
      const node = { id: randomUUID(), note: index, project, bindrs: [] };
      nodes.push(node);
      await db
        .insertInto('nodes')
        .values({ id: node.id, note_id: note.id, project_id: owner.id, path: ',' })
        .execute();
    }
  }

  const bindrs: InsertedWorld['bindrs'] = [];
  for (const bindr of world.bindrs) {
    const owner = projects[bindr.project];
    if (!owner) continue;
    const id = randomUUID();
    bindrs.push({ id, name: bindr.name, project: bindr.project });
    await db
      .insertInto('bindrs')
      .values({
        id,
        project_id: owner.id,
        parent_id: null,
        name: bindr.name,
        search_text: searchText(bindr.name),
      })
      .execute();
    for (const node of nodes.filter(
      ({ note, project }) => project === bindr.project && bindr.tags.includes(note),
    )) {
      node.bindrs.push(id);
      await db.insertInto('bindr_members').values({ bindr_id: id, node_id: node.id }).execute();
    }
  }
  return { slug, members: world.members, projects, notes, nodes, bindrs };
}

/** The rules once more, written as plainly as they can be: who has which role in a project. */
export function roleOf(world: InsertedWorld, person: Person | null, project: number): ProjectRole | null {
  const { grants, visibility: seenBy } = world.projects[project]!;
  const grant = person ? grants[person] : undefined;
  const membership = person ? world.members[person] : undefined;
  if (grant === 'admin' || membership === 'owner') return 'admin';
  if (grant === 'writer') return 'writer';
  if (grant === 'reader' || membership === 'member' || seenBy === 'public') return 'reader';
  return null;
}

export function permissions(role: ProjectRole): ProjectPermissions {
  return {
    role,
    project: {
      read: true,
      update: role === 'admin',
      delete: role === 'admin',
      manageGrants: role === 'admin',
    },
    content: { read: true, create: role !== 'reader', delete: role !== 'reader' },
  };
}

export function mayReadNote(world: InsertedWorld, person: Person | null, note: number): boolean {
  if (world.notes[note]!.visibility === 'public') return true;
  if (person === null) return false;
  if (world.members[person] !== undefined) return true;
  return world.nodes.some(
    (node) => node.note === note && world.projects[node.project]!.grants[person] !== undefined,
  );
}

export function maySeeNamespace(world: InsertedWorld, person: Person | null): boolean {
  if (person !== null && world.members[person] !== undefined) return true;
  return (
    world.projects.some((_, index) => roleOf(world, person, index) !== null) ||
    world.notes.some((_, index) => mayReadNote(world, person, index))
  );
}

/** Order of lists: by name, then id, by their bytes. */
export function byNameThenId(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || (a.id < b.id ? -1 : 1);
}
