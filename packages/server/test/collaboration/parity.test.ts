import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import {
  byNameThenId,
  type InsertedWorld,
  insertWorld,
  mayReadNote,
  maySeeNamespace,
  PEOPLE,
  type Person,
  permissions,
  roleOf,
  worlds,
} from './world.ts';

const QUERY = `query ($ns: String, $note: ID, $project: ID, $search: String) {
  note(namespaceSlug: $ns, id: $note) {
    id name
    nodes { id name path projectNodeId project { id slug displayName } bindrs { id name parentId projectNodeId } }
  }
  projectCatalog(namespaceSlug: $ns, search: $search) {
    total page pageSize totalPages canCreate
    projects { id slug displayName permissions {
      role project { read update delete manageGrants } content { read create delete } } }
  }
  bindrs(projectId: $project, first: 100) { nodes { id name parentId projectNodeId } }
}`;

interface Data {
  note: { nodes: unknown[] } | null;
  projectCatalog: unknown;
  bindrs: unknown;
}

describe.each(databases)('$name: GraphQL, REST and the reference rules agree', ({ open }) => {
  let service: TestService;
  const actors = new Map<Person | null, Actor>();
  const accounts = {} as Record<Person, string>;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    actors.set(null, service.anonymous);
    for (const person of PEOPLE) {
      actors.set(person, await service.member(person));
      const account = await service.context.db
        .selectFrom('accounts')
        .select('id')
        .where('user_name', '=', person)
        .executeTakeFirstOrThrow();
      accounts[person] = account.id;
    }
  });
  afterAll(() => service.close());

  async function check(world: InsertedWorld, person: Person | null, search: string): Promise<void> {
    const actor = actors.get(person)!;
    const noteId = (index: number) => world.notes[index]?.id ?? 'none';
    for (let index = 0; index < Math.max(1, world.notes.length, world.projects.length); index++) {
      const note = noteId(index);
      const project = world.projects[index];
      const { body } = await actor.post<{ data: Data }>('/graphql', {
        query: QUERY,
        variables: { ns: world.slug, note, project: project?.id ?? 'none', search },
      });
      expect(body.data.projectCatalog).toEqual(expectedCatalog(world, person, search));
      const catalog = await actor.get(
        `/namespaces/${world.slug}/projects?search=${encodeURIComponent(search)}`,
      );
      expect(catalog.status === 404 ? null : catalog.body).toEqual(body.data.projectCatalog);

      const nodes = await actor.get(`/namespaces/${world.slug}/resources/note/${note}/projects?view=nodes`);
      const expected = expectedNodes(world, person, index);
      expect(body.data.note?.nodes ?? null).toEqual(expected);
      expect(nodes.status === 404 ? null : nodes.body).toEqual(
        expected && { nodes: expected, total: expected.length },
      );

      const choices = await actor.get<{ nodes: unknown }>(
        `/namespaces/${world.slug}/projects/p${index}/bindrs?view=choices&first=100`,
      );
      expect(body.data.bindrs).toEqual(expectedChoices(world, person, index));
      expect(choices.status === 404 ? null : { nodes: choices.body.nodes }).toEqual(body.data.bindrs);
    }
  }

  test('for every kind of viewer, on ids, totals, permissions and missing resources', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.constantFrom('', 'mug', 'ÄH', '%', '_', 'p1'), async (world, search) => {
        const settled = await insertWorld(service.context.db, accounts, world);
        for (const person of [null, ...PEOPLE]) await check(settled, person, search);
      }),
      { numRuns: 15 },
    );
  });
});

test("a stranger gets 404 for the projects of another account's personal namespace", async () => {
  const service = await startService();
  try {
    const stranger = await service.stranger();
    await createAccount(service.context, {
      userName: 'alone',
      displayName: 'Alone',
      email: 'alone@example.org',
    });
    expect((await stranger.get('/namespaces/alone/projects')).status).toBe(404);
  } finally {
    await service.close();
  }
});

function expectedCatalog(world: InsertedWorld, person: Person | null, search: string) {
  if (!maySeeNamespace(world, person)) return null;
  const wanted = search.toLowerCase();
  const projects = world.projects
    .map((project, index) => ({ ...project, role: roleOf(world, person, index) }))
    .filter(({ role }) => role !== null)
    .filter(({ name, slug }) => name.toLowerCase().includes(wanted) || slug.includes(wanted))
    .sort(byNameThenId)
    .map(({ id, slug, name, role }) => ({ id, slug, displayName: name, permissions: permissions(role!) }));
  const total = projects.length;
  const canCreate = person !== null && world.members[person] !== undefined;
  return { projects, total, page: 1, pageSize: 50, totalPages: Math.ceil(total / 50), canCreate };
}

function expectedNodes(world: InsertedWorld, person: Person | null, note: number) {
  if (!world.notes[note] || !mayReadNote(world, person, note)) return null;
  return world.nodes
    .filter((node) => node.note === note && roleOf(world, person, node.project) !== null)
    .map((node) => ({ node, project: world.projects[node.project]! }))
    .sort((a, b) => byNameThenId(a.project, b.project))
    .map(({ node, project }) => ({
      id: node.id,
      name: world.notes[note]!.name,
      path: ',',
      projectNodeId: project.id,
      project: { id: project.id, slug: project.slug, displayName: project.name },
      bindrs: bindrsOf(world, ({ id }) => node.bindrs.includes(id)),
    }));
}

function expectedChoices(world: InsertedWorld, person: Person | null, project: number) {
  if (!world.projects[project] || roleOf(world, person, project) === null) return null;
  return { nodes: bindrsOf(world, (bindr) => bindr.project === project) };
}

function bindrsOf(world: InsertedWorld, wanted: (bindr: InsertedWorld['bindrs'][number]) => boolean) {
  return world.bindrs
    .filter(wanted)
    .sort(byNameThenId)
    .map(({ id, name, project }) => ({
      id,
      name,
      parentId: null,
      projectNodeId: world.projects[project]!.id,
    }));
}
