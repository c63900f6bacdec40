import fc from 'fast-check';
import { execute, type GraphQLObjectType, getNamedType, isObjectType, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Viewer } from '../../src/access/viewer.ts';
import { DocumentCache } from '../../src/views/graphql/documents.ts';
import { mayBeCopied } from '../../src/views/graphql/executable-schema.ts';
import { schema } from '../../src/views/graphql/schema.ts';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let ann: Actor;
let viewer: Viewer;
/** What the fields of a query ask for. */
const argumentsOf: Record<string, string> = {};

beforeAll(async () => {
  service = await startService();
  ann = await service.member('ann');
  viewer = await service.context.authenticate({
    authorization: ann.headers.authorization,
    shareToken: undefined,
  });
  for (const displayName of ['Kitchen', 'Workshop'])
    await ann.post('/namespaces/ann/projects', { displayName });
  const note = await ann.post<{ id: string }>('/namespaces/ann/notes', {
    name: 'Mug',
    projects: ['kitchen', 'workshop'],
  });
  const bindrs = '/namespaces/ann/projects/kitchen/bindrs';
  const cups = await ann.post<{ id: string; projectNodeId: string }>(bindrs, { name: 'cups' });
  await ann.post(bindrs, { name: 'small cups', parentId: cups.body.id });
  const filed = await ann.get<{ nodes: { id: string }[] }>(
    `/namespaces/ann/resources/note/${note.body.id}/projects?view=nodes`,
  );
  await ann.put(`${bindrs}/${cups.body.id}/members/${filed.body.nodes[0]?.id}`);
  argumentsOf.note = `(namespaceSlug: "ann", id: "${note.body.id}")`;
  argumentsOf.projectCatalog = '(namespaceSlug: "ann")';
  argumentsOf.bindrs = `(projectId: "${cups.body.projectNodeId}")`;
});
afterAll(() => service.close());

/** Selections of a type: fields with and without other names, some twice, some in fragments. */
function selectionsOf(type: GraphQLObjectType, depth: number): fc.Arbitrary<string> {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const below = getNamedType(field.type);
    if (!isObjectType(below)) return [fc.constant(field.name)];
    if (depth === 0) return [];
    const named = `${field.name}${argumentsOf[field.name] ?? ''}`;
    return [selectionsOf(below, depth - 1).map((selected) => `${named} ${selected}`)];
  });
  const field = fc.oneof(fc.constant('__typename'), ...fields);
  // A name that two fields share would not be valid unless they are the same.
  const aliased = field.map((selected) => `renamed_${selected.split(/\W/, 1)[0]}: ${selected}`);
  const fragment = field.map((selected) => `... on ${type.name} { ${selected} }`);
  const some = fc.array(fc.oneof(field, aliased, fragment), { minLength: 1, maxLength: 5 });
  return some.map((selected) => `{ ${selected.join(' ')} }`);
}

test('queries with copied fields return byte for byte what the reference executor returns', async () => {
  const documents = new DocumentCache(schema);
  const contextValue = { context: { ...service.context, clock: () => 0 }, viewer };
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(selectionsOf(schema.getQueryType()!, 5), async (query) => {
      const document = parse(query);
      fc.pre(validate(schema, document).length === 0);
      expect(mayBeCopied(document)).toBe(true);
      const expected = await execute({ schema, document, contextValue });
      const answer = await documents.execute({ document, contextValue });
      expect(JSON.stringify(answer)).toBe(JSON.stringify(expected));
      compared++;
    }),
    { numRuns: 300 },
  );
  expect(compared).toBeGreaterThan(200);
});

test.each([
  [
    'named fragments that are merged differently in two places',
    'query { a: %note { ...f nodes { id } } b: %note { ...f } } fragment f on Note { nodes { name } }',
  ],
  ['directives', 'query ($no: Boolean = false) { %note { nodes { id @include(if: $no) name } } }'],
  ['aliases named like prototype properties', '{ %note { nodes { __proto__: id constructor: name } } }'],
  ['a missing Note', '{ note(namespaceSlug: "ann", id: "none") { nodes { id } } }'],
  ['an error', '{ projectCatalog(namespaceSlug: "nobody") { total projects { id } } me { id } }'],
  ['schema introspection', '{ __schema { types { name fields { name } } } __type(name: "Node") { name } }'],
])('a query with %s returns what the reference executor returns', async (_name, template) => {
  const document = parse(template.replaceAll('%note', `note${argumentsOf.note}`));
  expect(validate(schema, document)).toEqual([]);
  const contextValue = { context: { ...service.context, clock: () => 0 }, viewer };
  const answer = await new DocumentCache(schema).execute({ document, contextValue });
  const expected = await execute({ schema, document, contextValue });
  expect(JSON.stringify(answer)).toBe(JSON.stringify(expected));
});
