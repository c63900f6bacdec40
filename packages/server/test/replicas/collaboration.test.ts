import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { postgres, type Replicas, startReplicas } from './replicas.ts';

interface Identified {
  id: string;
}

interface Choices {
  nodes: { name: string }[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
}

const NAMES = Array.from({ length: 7 }, (_, at) => `bindr ${at}`);

describe.skipIf(postgres === null)('Notes, Bindrs and agents at three replicas', () => {
  let replicas: Replicas;
  let ada: Actor;
  beforeAll(async () => {
    replicas = await startReplicas({ s3: null });
    ada = await replicas.member('ada');
    await ada.post('/namespaces/ada/projects', { displayName: 'Tools' });
    for (const name of NAMES) await ada.post('/namespaces/ada/projects/tools/bindrs', { name });
  });
  afterAll(() => replicas.close());

  async function query<Data>(actor: Actor, text: string, variables: Record<string, unknown>): Promise<Data> {
    const { body } = await actor.post<{ data: Data; errors?: unknown }>('/graphql', {
      query: text,
      variables,
    });
    expect(body.errors).toBeUndefined();
    return body.data;
  }

  test('a cursor from one replica works at the next, between REST and GraphQL', async () => {
    const path = '/namespaces/ada/projects/tools/bindrs?view=choices&first=2';
    const { body: project } = await ada.get<Identified>('/namespaces/ada/projects/tools');
    const names: string[] = [];
    let after: string | null = null;
    for (let page = 0; ; page++) {
      const choices: Choices =
        page % 2 === 0
          ? (await ada.get<Choices>(`${path}${after === null ? '' : `&after=${encodeURIComponent(after)}`}`))
              .body
          : (
              await query<{ bindrs: Choices }>(
                ada,
                `query ($id: ID!, $after: String) {
                  bindrs(projectId: $id, first: 2, after: $after) { nodes { name } pageInfo { endCursor hasNextPage } }
                }`,
                { id: project.id, after },
              )
            ).bindrs;
      names.push(...choices.nodes.map(({ name }) => name));
      after = choices.pageInfo.endCursor;
      if (!choices.pageInfo.hasNextPage) break;
    }
    expect(names).toEqual(NAMES);
  });

  test('a Note created, filed and tagged at different replicas is complete at all of them', async () => {
    const { body: note } = await ada.post<Identified>('/namespaces/ada/notes', { name: 'Hammer' });
    const association = `/namespaces/ada/resources/note/${note.id}/projects`;
    expect((await ada.put(`${association}/tools`)).status).toBe(200);
    const { body: places } = await ada.get<{ nodes: Identified[] }>(`${association}?view=nodes`);
    const { body: choices } = await ada.get<{ nodes: Identified[] }>(
      '/namespaces/ada/projects/tools/bindrs?view=choices&first=1',
    );
    const tag = `/namespaces/ada/projects/tools/bindrs/${choices.nodes[0]?.id}/members/${places.nodes[0]?.id}`;
    expect((await ada.put(tag)).status).toBe(200);
    for (const at of [0, 1, 2]) {
      const { note: seen } = await query<{ note: unknown }>(
        replicas.at(at, ada),
        'query ($id: ID!) { note(namespaceSlug: "ada", id: $id) { name nodes { project { slug } bindrs { name } } } }',
        { id: note.id },
      );
      expect(seen).toEqual({
        name: 'Hammer',
        nodes: [{ project: { slug: 'tools' }, bindrs: [{ name: 'bindr 0' }] }],
      });
    }
    expect((await ada.delete(`/namespaces/ada/notes/${note.id}`)).status).toBe(204);
    for (const at of [0, 1, 2]) {
      expect((await replicas.at(at, ada).get(`/namespaces/ada/notes/${note.id}`)).status).toBe(404);
    }
  });

  test('an agent can call the replicas in turn without a session', async () => {
    const agent = ada.with({ accept: 'application/json, text/event-stream' });
    const ask = (id: number, method: string, params = {}) =>
      agent.post('/mcp', { jsonrpc: '2.0', id, method, params });
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const { status, headers } = await ask(1, 'initialize', hello);
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
    for (let id = 2; id < 8; id++) {
      const { body } = await ask(id, id % 2 === 0 ? 'tools/list' : 'ping');
      expect(String(body)).toContain('"result":');
    }
  });

  test('the rate limit applies to each replica separately', async () => {
    const limited = await startReplicas({ s3: null, count: 2, configuration: { rateLimit: 5 } });
    for (const one of limited.services) one.advance(60 - ((Date.now() / 1_000) % 60));
    const statuses: number[] = [];
    for (let request = 0; request < 14; request++) {
      statuses.push((await limited.anonymous.get('/libraries')).status);
    }
    await limited.close();
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  });
});
