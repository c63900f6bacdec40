import { readFileSync } from 'node:fs';
import { MANIFEST_HEADER } from '@bindery/contract';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { changeUser } from '../../server/src/administration/users.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import type { TestService } from '../../server/test/service.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\u202e';

/** Each route of the router, with pages of it as `pia` sees the content from `publishPages`. */
export const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/': ['/app/', '/app/?q=cube'],
  '/-/account': ['/app/-/account'],
  '/-/admin': ['/app/-/admin'],
  '/-/admin/users': ['/app/-/admin/users'],
  '/-/admin/users/$user': ['/app/-/admin/users/pia'],
  '/-/admin/namespaces': ['/app/-/admin/namespaces'],
  '/-/admin/namespaces/$namespace': ['/app/-/admin/namespaces/pia'],
  '/-/admin/webhooks': ['/app/-/admin/webhooks'],
  '/-/admin/audit': ['/app/-/admin/audit'],
  '/-/new': ['/app/-/new'],
  '/$namespace': ['/app/pia', '/app/nobody'],
  '/$namespace/-/members': ['/app/pia/-/members'],
  '/$namespace/-/audit': ['/app/pia/-/audit'],
  '/$namespace/-/webhooks': ['/app/pia/-/webhooks'],
  '/$namespace/-/trash': ['/app/pia/-/trash'],
  '/$namespace/-/projects': ['/app/pia/-/projects'],
  '/$namespace/-/projects/$project': ['/app/pia/-/projects/hostile'],
  '/$namespace/-/notes': ['/app/pia/-/notes'],
  '/$namespace/-/notes/$note': ['/app/pia/-/notes/$note'],
  '/$namespace/$library': [
    '/app/pia/parts',
    '/app/pia/parts?q=cube',
    '/app/pia/nothing',
    ...['readme', 'releases', 'history', 'proposals', 'settings'].map((tab) => `/app/pia/parts?tab=${tab}`),
  ],
  '/$namespace/$library/-/credits': ['/app/pia/parts/-/credits'],
  '/$namespace/$library/-/compare': ['/app/pia/parts/-/compare?from=1', '/app/pia/parts/-/compare?from=x'],
  '/$namespace/$library/-/proposals/$number': [
    '/app/pia/parts/-/proposals/1',
    '/app/pia/parts/-/proposals/2',
    '/app/pia/parts/-/proposals/9',
  ],
  '/$namespace/$library/-/push': ['/app/pia/parts/-/push'],
  '/embed/$namespace/$library/$asset': ['/app/embed/pia/parts/cube'],
  '/$namespace/$library/$asset': ['/app/pia/parts/cube', '/app/pia/parts/nothing'],
};

/** Returns the paths of all routes in the router's source. */
export function routesOfRouter(): string[] {
  const source = readFileSync(new URL('../src/app/router.tsx', import.meta.url), 'utf8');
  const paths = [...source.matchAll(/\b(?:page|lazy)\(\s*'([^']+)',/g)].map(([, path]) => path as string);
  const routes = [...source.matchAll(/^ {2}(?:page|lazy)\(/gm)].length;
  if (paths.length !== routes) throw new Error(`${routes} routes, but ${paths.length} paths`);
  return paths;
}

/** Publishes the content of the pages as `pia`, who is an operator; returns the addresses of the pages. */
export async function publishPages(service: TestService): Promise<string[]> {
  await changeUser(service.context, MACHINE, { userName: 'pia' }, { operator: true });
  const pia = await service.member('pia');
  await publish(pia, 'pia/parts', {
    visibility: 'public',
    library: { title: 'Parts', description: 'All our parts', license: 'Apache-2.0' },
    assets: [
      {
        id: 'cube',
        title: 'Cube',
        description: HOSTILE,
        kind: 'mesh',
        license: 'MIT',
        tags: ['solid'],
        entry: 'cube/cube.obj',
        entryPoints: { 'for collisions': { file: 'cube/the-same-cube-as-it-is-for-collisions.obj' } },
        files: {
          'cube/cube.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
          'cube/the-same-cube-as-it-is-for-collisions.obj': 'v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n',
          'cube/README.md': '# Cube\n\nIt has *six* sides.\n',
        },
      },
    ],
  });
  const library = '/namespaces/pia/libraries/parts';
  const proposals = `${library}/proposals`;
  const base = (await pia.get(library)).headers.get(MANIFEST_HEADER);
  for (const title of ['New title', HOSTILE]) {
    const changes = { base, library: { title: 'Parts of ours', description: HOSTILE } };
    const { status } = await pia.post(proposals, { title, message: HOSTILE, changes });
    if (status !== 201) throw new Error(`a proposal was answered by ${status}`);
  }
  await pia.post(`${proposals}/1/comments`, { text: HOSTILE });
  const check = {
    name: HOSTILE.slice(0, 100),
    state: 'failed',
    summary: HOSTILE,
    url: 'https://ci.invalid/1',
  };
  await pia.post(library, { requiredChecks: [check.name, 'licences'] });
  await pia.post(`${proposals}/1/checks`, check);
  await pia.post(`${proposals}/2/refuse`);
  await pia.post('/namespaces/pia/projects', { displayName: HOSTILE, slug: 'hostile' });
  await pia.post('/namespaces/pia/projects/hostile/bindrs', { name: 'Bolts' });
  const { body: note } = await pia.post<{ id: string }>('/namespaces/pia/notes', {
    name: HOSTILE,
    projects: ['hostile'],
  });
  const { body: hook } = await pia.post<{ id: string }>('/namespaces/pia/webhooks', {
    url: 'https://receiver.invalid/hook',
    events: ['library.registered', 'note.created'],
  });
  await pia.post(`/namespaces/pia/webhooks/${hook.id}/ping`);
  return Object.values(PAGES)
    .flat()
    .map((path) => path.replace('$note', note.id));
}
