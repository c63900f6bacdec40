import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';

/** A Note with 200 Nodes may take this many statements, the one that reads the token among them. */
const MOST = 6;

let service: TestService;
let ada: Actor;
let statements = 0;

beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  service.context.db = service.context.db.withPlugin(counter);
});
afterAll(() => service.close());

/** Returns the fewest statements of three tries: the service's work in the background can add some to one of them. */
async function statementsOf(ask: () => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    statements = 0;
    await ask();
    counts.push(statements);
  }
  return Math.min(...counts);
}

/** A Note in so many projects, each with a Bindr that tags it. */
async function noteIn(projects: number): Promise<string> {
  const slugs: string[] = [];
  for (let index = 0; index < projects; index++) {
    const made = await ada.post<{ slug: string }>('/namespaces/ada/projects', {
      displayName: `P ${projects}-${index}`,
    });
    slugs.push(made.body.slug);
  }
  const note = await ada.post<{ id: string }>('/namespaces/ada/notes', { name: 'n', projects: slugs });
  const { body } = await ada.get<{ nodes: { id: string; project: { slug: string } }[] }>(
    `/namespaces/ada/resources/note/${note.body.id}/projects?view=nodes`,
  );
  for (const { id, project } of body.nodes) {
    const bindrs = `/namespaces/ada/projects/${project.slug}/bindrs`;
    const bindr = await ada.post<{ id: string }>(bindrs, { name: 'tag' });
    await ada.put(`${bindrs}/${bindr.body.id}/members/${id}`);
  }
  return note.body.id;
}

test('listing projects and Nodes takes the same few SQL statements at any length', async () => {
  const query = `query ($id: ID) { note(namespaceSlug: "ada", id: $id) {
    nodes { id project { slug } bindrs { name } } } }`;
  const costs = [];
  for (const projects of [1, 30]) {
    const id = await noteIn(projects);
    costs.push({
      graphql: await statementsOf(() => ada.post('/graphql', { query, variables: { id } })),
      rest: await statementsOf(() => ada.get(`/namespaces/ada/resources/note/${id}/projects?view=nodes`)),
      catalog: await statementsOf(() => ada.get('/namespaces/ada/projects')),
    });
  }
  expect(costs[1]).toEqual(costs[0]);
  expect(costs[0]?.graphql).toBeGreaterThan(0);
  expect(costs[0]?.graphql).toBeLessThanOrEqual(MOST);
});
