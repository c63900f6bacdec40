import type { ProjectEntry } from '@bindery/contract';
import { expect, test } from 'vitest';
import { type FetchPage, type Identity, type Page, Picker } from '../../src/picker/picker.ts';
import { candidateProjects, withAncestors } from '../../src/picker/sources.ts';

const ADA: Identity = { kind: 'account', id: 'ada' };
const PREVIEW: Identity = { kind: 'anonymous-preview' };

interface Asked {
  query: string;
  after: string | null;
  identity: Identity;
  signal: AbortSignal;
  answer(page: Page<string>): void;
  fail(error: Error): void;
}

/** A source whose answers the test gives by hand, in any order. */
function source(): { fetchPage: FetchPage<string, string>; asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    fetchPage: (request) => {
      const { promise, resolve, reject } = Promise.withResolvers<Page<string>>();
      asked.push({ ...request, answer: resolve, fail: reject });
      return promise;
    },
  };
}

test('each next page is requested with the cursor of the page before, until there is none', async () => {
  const { fetchPage, asked } = source();
  const picker = new Picker(ADA, fetchPage);
  const first = picker.show('mug');
  asked[0]?.answer({ items: ['a', 'b'], next: 'cursor-1' });
  await first;
  expect(picker.state).toEqual({ items: ['a', 'b'], hasMore: true, loading: false, error: null });
  const second = picker.loadMore();
  expect(asked[1]?.after).toBe('cursor-1');
  asked[1]?.answer({ items: ['c'], next: null });
  await second;
  expect(picker.state).toMatchObject({ items: ['a', 'b', 'c'], hasMore: false });
  await picker.loadMore();
  expect(asked).toHaveLength(2);
});

test('a new search cancels the previous one, starts without a cursor and ignores its late response', async () => {
  const { fetchPage, asked } = source();
  const picker = new Picker(ADA, fetchPage);
  const old = picker.show('mu');
  const recent = picker.show('mug');
  expect(asked[0]?.signal.aborted).toBe(true);
  expect(asked[1]).toMatchObject({ query: 'mug', after: null });
  asked[1]?.answer({ items: ['mug'], next: null });
  await recent;
  asked[0]?.answer({ items: ['mud', 'mug'], next: 'late' });
  await old;
  expect(picker.state.items).toEqual(['mug']);
  const again = picker.show('mu');
  expect(asked[2]).toMatchObject({ query: 'mu', after: null });
  asked[2]?.answer({ items: [], next: null });
  await again;
});

test('a late response for a signed-out account is neither shown nor cached', async () => {
  const { fetchPage, asked } = source();
  const picker = new Picker(ADA, fetchPage);
  const secret = picker.show('');
  const preview = picker.identify(PREVIEW);
  asked[0]?.answer({ items: ['secret'], next: null });
  asked[1]?.answer({ items: ['open'], next: null });
  await Promise.all([secret, preview]);
  expect(picker.state.items).toEqual(['open']);
  const back = picker.identify(ADA);
  expect(asked[2]?.identity).toEqual(ADA);
  asked[2]?.answer({ items: ['secret'], next: null });
  await back;
});

test('an anonymous preview never shows the list of an account, which finds it cached when it is back', async () => {
  const { fetchPage, asked } = source();
  const picker = new Picker(ADA, fetchPage);
  const own = picker.show('');
  asked[0]?.answer({ items: ['open', 'secret'], next: null });
  await own;
  const preview = picker.identify(PREVIEW);
  expect(picker.state.items).toEqual([]);
  asked[1]?.answer({ items: ['open'], next: null });
  await preview;
  await picker.identify(ADA);
  expect(picker.state.items).toEqual(['open', 'secret']);
  expect(asked).toHaveLength(2);
});

test('a failed page keeps the items shown, and can be requested again', async () => {
  const { fetchPage, asked } = source();
  const picker = new Picker(ADA, fetchPage);
  const first = picker.show('');
  asked[0]?.answer({ items: ['a'], next: 'cursor' });
  await first;
  const failing = picker.loadMore();
  asked[1]?.fail(new Error('offline'));
  await failing;
  expect(picker.state).toMatchObject({ items: ['a'], hasMore: true, error: new Error('offline') });
  const retry = picker.loadMore();
  asked[2]?.answer({ items: ['b'], next: null });
  await retry;
  expect(picker.state).toEqual({ items: ['a', 'b'], hasMore: false, loading: false, error: null });
});

test('candidate projects allow creating content and do not hold the item yet', () => {
  const entry = (id: string, create: boolean): ProjectEntry => ({
    id,
    slug: id,
    displayName: id,
    permissions: {
      role: create ? 'writer' : 'reader',
      project: { read: true, update: false, delete: false, manageGrants: false },
      content: { read: true, create, delete: create },
    },
  });
  const projects = [entry('held', true), entry('free', true), entry('readable', false)];
  expect(candidateProjects(projects, [{ projectNodeId: 'held' }]).map(({ id }) => id)).toEqual(['free']);
});

test('each Bindr of a page gets its ancestors, wherever the response lists them', () => {
  const bindr = (id: string, parentId: string | null) => ({ id, name: id, parentId, projectNodeId: 'p' });
  const page = {
    nodes: [bindr('arms', 'robots'), bindr('gripper', 'hands')],
    ancestors: [bindr('hands', 'arms'), bindr('robots', null)],
    pageInfo: { endCursor: null, hasNextPage: false },
  };
  const paths = withAncestors(page).map(({ id, ancestors }) => [...ancestors.map((above) => above.id), id]);
  expect(paths).toEqual([
    ['robots', 'arms'],
    ['robots', 'arms', 'hands', 'gripper'],
  ]);
});
