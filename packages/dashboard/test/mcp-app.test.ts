import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectOverHttp, startAgent } from '../../mcp/test/agent.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { sharedBrowser } from '../../server/test/pages/browser.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { dashboardFolder } from '../src/folder.ts';
import { AgentHost, strictPolicy, toolMetas, usualPolicy } from './agent-host.ts';
import { browserPath } from './dashboard.ts';
import { boxGlb, MJCF_ARM, OBJ_BOX, pixelPng } from './viewer/models.ts';

describe.skipIf(browserPath === null)('the viewer in a host of agents', () => {
  let service: TestService;
  let token: string;
  const clients = new Map<string, Client>();
  let host: AgentHost;

  beforeAll(async () => {
    service = await startService({ dashboardFolder: await dashboardFolder() });
    const ada = await service.member('ada');
    token = ada.headers.authorization?.replace('Bearer ', '') ?? '';
    await publish(ada, 'ada/private', {
      assets: [
        {
          id: 'box',
          title: 'A red box',
          kind: 'mesh',
          license: 'CC0-1.0',
          entry: 'box #1/box.obj',
          thumbnail: '.bindery/thumbs/box.png',
          files: { 'box #1/box.obj': OBJ_BOX, 'box #1/box.mtl': 'newmtl red\nKd 1 0 0\n' },
        },
        {
          id: 'arm',
          title: 'An arm',
          kind: 'mjcf',
          entry: 'arm/arm.xml',
          files: { 'arm/arm.xml': MJCF_ARM },
        },
        { id: 'crate', kind: 'mesh', entry: 'crate/crate.glb', files: { 'crate/crate.glb': boxGlb() } },
        { id: 'heap', title: 'A heap', files: { 'heap/a.bin': 'a', 'heap/b.bin': 'b' } },
      ],
      generated: { '.bindery/thumbs/box.png': pixelPng(200, 0, 0, 255) },
    });
    clients.set('HTTP', await connectOverHttp(ada, 'modern'));
    clients.set('stdio', await startAgent(ada, { era: 'legacy' }));
  });
  afterAll(async () => {
    await Promise.all([...clients.values()].map((client) => client.close()));
    await service?.close();
  });
  afterEach(() => host?.close());

  async function show(
    transport: string,
    name: string,
    input: Record<string, unknown>,
    options: Partial<Parameters<typeof AgentHost.show>[3]> = {},
  ): Promise<AgentHost> {
    const client = clients.get(transport);
    if (client === undefined) throw new Error(`nobody speaks ${transport}`);
    const call = { name, arguments: input };
    host = await AgentHost.show(await sharedBrowser(), client, call, { policy: usualPolicy, ...options });
    return host;
  }
  const inspect = (assetId: string) => ['inspect_asset', { library: 'ada/private', assetId }] as const;

  test.each(['HTTP', 'stdio'])('shows a private asset without knowing the token (%s)', async (transport) => {
    const requests: string[] = [];
    const { app, page, messages } = await show(transport, ...inspect('box'));
    page.on('request', (request) => requests.push(request.url()));
    const viewer = app.frameLocator('iframe');
    await viewer.getByRole('button', { name: 'Controls' }).waitFor();
    await app.getByText('ada/private · CC0-1.0 · 2 files').waitFor();
    expect(await app.getByRole('status').count()).toBe(0);
    expect(messages.join('\n')).toContain('resources/read');
    expect(messages.join('\n')).not.toContain(token);
    expect(await page.content()).not.toContain(token);
    for (const url of requests)
      expect(url).toMatch(/^blob:|^data:|^http:\/\/127\.0\.0\.1:\d+\/app\/assets\//);
  });

  test('shows a robot, which MuJoCo opens in the frame', async () => {
    const { app } = await show('HTTP', ...inspect('arm'));
    await app.frameLocator('iframe').getByRole('button', { name: 'Controls' }).waitFor();
    await app.getByText('2 joints').waitFor();
  });

  test('follows the theme of the host, and opens the page of the asset through it', async () => {
    const { app, opened } = await show('HTTP', ...inspect('box'), { theme: 'dark' });
    const main = app.frameLocator('iframe').locator('html');
    await expect.poll(() => main.getAttribute('data-theme')).toBe('dark');
    host.setTheme('light');
    await expect.poll(() => main.getAttribute('data-theme')).toBe('light');
    await app.getByRole('button', { name: 'Open in Bindery' }).click();
    await expect.poll(() => opened).toEqual([`${service.url}/app/ada/private/box`]);
  });

  test('shows the hits of a search, and the one that is chosen', async () => {
    const { app } = await show('HTTP', 'search_assets', { query: '', libraries: ['ada/private'] });
    expect(await app.getByRole('listitem').count()).toBe(4);
    await app.getByRole('button', { name: 'A red box' }).click();
    await app.frameLocator('iframe').getByRole('button', { name: 'Controls' }).waitFor();
    await app.getByRole('button', { name: 'All hits' }).click();
    await app.getByRole('button', { name: 'An arm' }).waitFor();
  });

  test('shows the picture and the reason where a host allows no workers', async () => {
    const { app } = await show('HTTP', ...inspect('box'), { policy: strictPolicy });
    await app.getByRole('status').filter({ hasText: 'No view here' }).waitFor();
    expect(await app.locator('.stage > img').count()).toBe(1);
    await app.getByRole('button', { name: 'Open in Bindery' }).waitFor();
  });

  test('shows a glTF model even there', async () => {
    const { app } = await show('HTTP', ...inspect('crate'), { policy: strictPolicy });
    await app.frameLocator('iframe').getByRole('button', { name: 'Controls' }).waitFor();
    await app.getByText('1 file').waitFor();
  });

  test('says what it cannot show of an asset that has nothing to open', async () => {
    const { app } = await show('HTTP', ...inspect('heap'));
    await app.getByText('No view here: the asset has no file to open').waitFor();
  });

  test('only what the viewer needs may be called by it', async () => {
    const client = clients.get('HTTP');
    if (client === undefined) throw new Error('nobody speaks HTTP');
    const metas = [...(await toolMetas(client))];
    const callable = metas.filter(([, { visibility }]) => visibility.includes('app'));
    expect(callable.map(([name]) => name)).toEqual(['inspect_asset']);
  });
});
