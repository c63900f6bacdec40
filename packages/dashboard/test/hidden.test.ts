import { randomUUID } from 'node:crypto';
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

/** Values of a route parameter: one that the stranger can see, a hidden one, and a missing one. */
interface Names {
  seen: string;
  hidden: string;
  missing: string;
}

/** As in `router.tsx`; a parameter that is not listed fails the test. */
const names: Record<string, Names> = {
  // Whoever may not see a library's proposals is told the same of each.
  number: { seen: '314159', hidden: '314159', missing: '271828' },
  namespace: { seen: 'ada', hidden: 'vault', missing: 'empty' },
  library: { seen: 'shown', hidden: 'secret', missing: 'nobody' },
  asset: { seen: 'mug', hidden: 'mug', missing: 'jug' },
  project: { seen: 'bench', hidden: 'secret', missing: 'nobody' },
  note: { seen: '', hidden: '', missing: randomUUID() },
  user: { seen: '', hidden: 'vault', missing: 'zoe' },
};

/** Addresses that refer to a hidden and a missing resource in the query string. */
const SEARCHES: readonly [hidden: string, missing: string][] = [
  ['/app/?library=ada%2Fsecret', '/app/?library=ada%2Fnobody'],
  ['/app/?q=gripper&library=vault%2Fsecret', '/app/?q=gripper&library=empty%2Fnobody'],
  ['/app/ada/secret?q=mug', '/app/ada/nobody?q=mug'],
  ['/app/ada/secret?share=shr_guessed', '/app/ada/nobody?share=shr_guessed'],
  ['/app/ada/secret?release=v1', '/app/ada/nobody?release=v1'],
  ['/app/ada/secret/mug?release=v1', '/app/ada/nobody/mug?release=v1'],
];

describe.skipIf(browserPath === null)('hidden content', () => {
  const dashboard = useDashboard(['stranger'], async (service) => {
    const ada = await service.member('ada');
    const assets = [{ id: 'mug', title: 'Gripper mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }];
    await publish(ada, 'ada/shown', { visibility: 'public', assets });
    await publish(ada, 'ada/secret', { assets });
    await ada.post('/namespaces/ada/projects', { displayName: 'Bench', visibility: 'public' });
    await ada.post('/namespaces/ada/projects', { displayName: 'Secret' });
    const note = async (name: string, visibility: 'public' | 'private') => {
      const { body } = await ada.post<{ id: string }>('/namespaces/ada/notes', { name, visibility });
      return body.id;
    };
    names.note = {
      seen: await note('Open', 'public'),
      hidden: await note('Secret', 'private'),
      missing: randomUUID(),
    };
    const vault = await service.member('vault');
    await publish(vault, 'vault/secret', { assets });
    await vault.post('/namespaces/vault/projects', { displayName: 'Secret' });
  });

  for (const userName of [undefined, 'stranger']) {
    test(`looks like missing content on every page (viewer: ${userName ?? 'nobody signed in'})`, async () => {
      const page = await dashboard.open('/app/', userName === undefined ? {} : { userName });
      await page.locator('main h1').first().waitFor();
      const routes = await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)');
      const pairs = [...routes.flatMap(pairsOf), ...SEARCHES];
      expect(pairs.length).toBeGreaterThan(20);
      for (const [hidden, missing] of pairs) {
        const shown = await seenAt(page, hidden);
        expect(shown, hidden).toEqual(await seenAt(page, missing));
        expect(shown.text, hidden).not.toMatch(/Gripper mug/);
      }
    });
  }
});

/** For each parameter of a route: an address with a hidden value there, and one with a missing value. */
function pairsOf(route: string): [hidden: string, missing: string][] {
  const parameters = [...route.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
  return parameters.flatMap((changed, at) => {
    const addressOf = (kind: 'hidden' | 'missing') =>
      `/app${route.replace(/\$(\w+)/g, (_, name: string) => {
        const known = names[name];
        if (!known) throw new Error(`What of ${route} is hidden? Name it in this test.`);
        if (name === changed) return known[kind];
        // Parameters before it are visible; those after it are the same in both addresses.
        return parameters.indexOf(name) < at ? known.seen : known.hidden;
      })}`;
    const pair: [string, string] = [addressOf('hidden'), addressOf('missing')];
    return pair[0] === pair[1] || names[changed]?.hidden === names[changed]?.seen ? [] : [pair];
  });
}

/** The heading of pages for hidden and missing resources. */
const NOTHING = /^(Not found|Sign in to see this|No results)$/;

/** Returns what a page shows and requests, with the names from its address removed. */
async function seenAt(page: Page, address: string) {
  const asked: string[] = [];
  const statuses = new Set<number>();
  const open = new Set<Request>();
  const begin = (request: Request) => {
    open.add(request);
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/app/assets/')) asked.push(`${request.method()} ${pathname}${search}`);
  };
  const end = async (request: Request) => {
    // Null if the page aborted a request that it no longer needed, which depends on timing.
    const response = await request.response().catch(() => null);
    if (response) statuses.add(response.status());
    open.delete(request);
  };
  // Drops requests of the previous page. On the same origin, so that both run in one process.
  await page.goto('/healthz');
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await page.goto(address);
  await page.getByRole('main').getByRole('heading', { name: NOTHING }).first().waitFor();
  await expect.poll(() => open.size).toBe(0);
  // The last response may not be rendered yet.
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  const [title, text, html] = await Promise.all([
    page.title(),
    page.locator('body').textContent(),
    page.locator('main').innerHTML(),
  ]);
  const bare = (value: string) =>
    Object.values(names).reduce(
      (rest, { hidden, missing }) => rest.replaceAll(hidden, '‹name›').replaceAll(missing, '‹name›'),
      value,
    );
  return {
    title: bare(title),
    text: bare(text ?? ''),
    html: bare(html),
    asked: asked.map(bare).sort(),
    statuses: [...statuses].sort(),
  };
}
