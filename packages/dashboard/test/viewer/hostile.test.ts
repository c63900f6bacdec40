import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { closeServer, ViewerTab } from './host.ts';
import { glb, MARKDOWN, MJCF_ARM, triangleGltf, URDF_ARM } from './models.ts';

let tab: ViewerTab;
/** Requests received by a server that no asset may reach. */
const leaks: string[] = [];
const listener = createServer((request, response) => {
  leaks.push(String(request.url));
  response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
});
let elsewhere = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  elsewhere = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  tab = await ViewerTab.launch();
});

afterAll(async () => {
  await tab?.close();
  await closeServer(listener);
});

afterEach(async () => {
  expect(leaks).toEqual([]);
  expect(await tab.page.evaluate('document.title')).toBe('Host');
});

const BOMB = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
  { length: 9 },
  (_, i) => `<!ENTITY ${String.fromCharCode(98 + i)} "${`&${String.fromCharCode(97 + i)};`.repeat(10)}">`,
).join('')}]>`;

describe('XML with a DOCTYPE is refused', () => {
  for (const [kind, entry, text] of [
    ['mjcf', 'a.xml', MJCF_ARM],
    ['urdf', 'a.urdf', URDF_ARM],
    ['sdf', 'a.sdf', '<sdf version="1.6"><model name="&j;"/></sdf>'],
    ['mesh', 'a.dae', '<COLLADA/>'],
  ] as const) {
    test(entry, async () => {
      const opened = await tab.openFiles(kind, entry, { [entry]: BOMB + text });
      expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('DOCTYPE') });
    });
  }

  test('an included MJCF', async () => {
    const files = { 'a.xml': '<mujoco><include file="b.xml"/></mujoco>', 'b.xml': `${BOMB}<mujoco/>` };
    const opened = await tab.openFiles('mjcf', 'a.xml', files);
    expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('DOCTYPE') });
  });
});

test('no asset can reach anybody by WebRTC, which the policy does not cover in every browser', async () => {
  await tab.openFiles('urdf', 'a.urdf', { 'a.urdf': URDF_ARM });
  const left = await tab.frame
    .locator('main')
    .evaluate(() => Object.getOwnPropertyNames(globalThis).filter((name) => /PeerConnection$/.test(name)));
  expect(left).toEqual([]);
});

test('a model with millions of bodies is refused, and its page stays responsive meanwhile', async () => {
  const bodies =
    '<replicate count="2000" offset="1 0 0"><replicate count="3000" offset="0 1 0"><body><geom size="1"/></body></replicate></replicate>';
  const opening = tab.openFiles('mjcf', 'a.xml', {
    'a.xml': `<mujoco><worldbody>${bodies}</worldbody></mujoco>`,
  });
  await expect.poll(() => tab.page.evaluate('states.length')).toBeGreaterThan(0);
  expect(await tab.frame.locator('main').evaluate(() => 1 + 1)).toBe(2);
  expect(await opening).toMatchObject({ status: 'refused', canLoadAnyway: true });
  await tab.frame.getByRole('button', { name: /^(Keep waiting|Load anyway)$/ }).waitFor();
});

describe('a glTF file is refused if it contains', () => {
  test('a billion triangles by instancing', async () => {
    const { json, binary } = triangleGltf();
    json.accessors = [
      ...(json.accessors as object[]),
      { componentType: 5126, count: 1_000_000_000, type: 'VEC3' },
    ];
    json.nodes = [{ mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 1 } } } }];
    json.extensionsUsed = ['EXT_mesh_gpu_instancing'];
    const opened = await tab.openFiles('mesh', 'a.glb', { 'a.glb': glb(json, binary) }, { loadAnyway: true });
    expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('too large') });
  });

  test('nodes that are children of each other', async () => {
    const { json, binary } = triangleGltf();
    json.nodes = [{ children: [1] }, { mesh: 0, children: [0] }];
    const opened = await tab.openFiles('mesh', 'a.glb', { 'a.glb': glb(json, binary) });
    expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('each other') });
  });
});

test('a splat file that is shorter than its header announces is refused', async () => {
  const header = [
    'ply',
    'format binary_little_endian 1.0',
    'element vertex 2000000',
    ...['x', 'y', 'z', 'scale_0', 'scale_1', 'scale_2'].map((name) => `property float ${name}`),
    'end_header\n',
  ].join('\n');
  const opened = await tab.openFiles('splat', 'a.ply', { 'a.ply': header });
  expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('ends before') });
});

test('a texture with too many pixels in few bytes is left out, and the model is shown without it', async () => {
  const png = new Uint8Array(64);
  new DataView(png.buffer).setUint32(0, 0x89504e47);
  new DataView(png.buffer).setUint32(16, 60_000);
  new DataView(png.buffer).setUint32(20, 60_000);
  const { json, binary } = triangleGltf();
  json.images = [{ uri: 'bomb.png' }];
  json.textures = [{ source: 0 }];
  json.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }];
  json.meshes = [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }];
  const opened = await tab.openFiles('mesh', 'a.glb', { 'a.glb': glb(json, binary), 'bomb.png': png });
  expect(opened).toMatchObject({ status: 'shown', omitted: ['1 of 1 textures (bomb.png: too many pixels)'] });
});

describe('external URLs are not fetched', () => {
  test('in glTF', async () => {
    const { json, binary } = triangleGltf();
    json.images = [{ uri: `${elsewhere}/image.png` }];
    json.textures = [{ source: 0 }];
    const images = await tab.openFiles('mesh', 'a.glb', { 'a.glb': glb(json, binary) });
    expect(images).toMatchObject({ status: 'shown', omitted: [expect.stringContaining('no such file')] });
    json.buffers = [{ uri: `${elsewhere}/buffer.bin`, byteLength: 36 }];
    const buffers = await tab.openFiles('mesh', 'a.gltf', { 'a.gltf': JSON.stringify(json) });
    expect(buffers).toMatchObject({ status: 'refused', reason: expect.stringContaining('has no file') });
  });

  test('in URDF', async () => {
    const robot = URDF_ARM.replace('<sphere radius="0.05"/>', `<mesh filename="${elsewhere}/mesh.stl"/>`);
    const opened = await tab.openFiles('urdf', 'a.urdf', { 'a.urdf': robot });
    expect(opened).toMatchObject({
      status: 'shown',
      omitted: [expect.stringContaining('1 of 1 mesh files')],
    });
  });

  test('in MJCF', async () => {
    const model = MJCF_ARM.replace(
      '<worldbody>',
      `<asset><mesh file="${elsewhere}/mesh.stl"/></asset><worldbody>`,
    );
    expect(await tab.openFiles('mjcf', 'a.xml', { 'a.xml': model })).toMatchObject({ status: 'refused' });
  });

  test('in Markdown', async () => {
    const text = MARKDOWN.replaceAll('http://127.0.0.1:9', elsewhere);
    expect(await tab.openFiles('file', 'a.md', { 'a.md': text })).toMatchObject({ status: 'shown' });
  });

  test('in SVG, whose scripts do not run', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="fetch('${elsewhere}/onload')">
      <script>fetch('${elsewhere}/script')</script><image href="${elsewhere}/image.png" width="5" height="5"/></svg>`;
    expect(await tab.openFiles('image', 'a.svg', { 'a.svg': svg })).toMatchObject({ status: 'shown' });
  });
});

test('Markdown that takes minutes to parse is shown as plain text, and its page stays responsive meanwhile', async () => {
  const opening = tab.openFiles('file', 'a.md', { 'a.md': 'a**_b'.repeat(13_000) });
  await expect.poll(() => tab.page.evaluate('states.length')).toBeGreaterThan(0);
  expect(await tab.frame.locator('main').evaluate(() => 1 + 1)).toBe(2);
  expect(await opening).toMatchObject({ status: 'shown' });
  await expect.poll(() => tab.frame.locator('pre').textContent()).toMatch(/^a\*\*_ba/);
});

test('an SVG that draws billions of elements by nested references is refused', async () => {
  const layers = Array.from(
    { length: 10 },
    (_, at) => `<g id="l${at + 1}">${`<use href="#l${at}"/>`.repeat(10)}</g>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><defs><path id="l0" d="M0 0h9v9"/>${layers.join('')}</defs><use href="#l10"/></svg>`;
  expect(await tab.openFiles('image', 'a.svg', { 'a.svg': svg })).toMatchObject({
    status: 'refused',
    reason: expect.stringContaining('draws more than'),
  });
});

test('names of files and parts are shown as text, not as HTML', async () => {
  const name = '<img src=x onerror=alert(1)>.zip';
  const refused = await tab.openFiles('file', name, { [name]: 'x' });
  expect(refused).toMatchObject({ status: 'refused', reason: expect.stringContaining('<img src=x') });
  const robot = URDF_ARM.replaceAll('"elbow"', '"&lt;img src=x onerror=alert(1)&gt;"');
  await tab.openFiles('urdf', 'a.urdf', { 'a.urdf': robot });
  await expect.poll(() => tab.frame.locator('main img').count()).toBe(0);
});

describe('the viewer frame', () => {
  test('is watched by a server that does record incoming requests', async () => {
    await tab.page.evaluate((address) => fetch(address), elsewhere);
    expect(leaks.splice(0)).toEqual(['/']);
  });

  test('has no access to the network, storage or the page around it', async () => {
    await tab.openFiles('file', 'a.txt', { 'a.txt': 'x' });
    const reach = await tab.frame.locator('main').evaluate(async (_, address) => {
      const blocked = (attempt: () => unknown) =>
        Promise.resolve()
          .then(attempt)
          .then(
            () => 'open',
            () => 'blocked',
          );
      return {
        elsewhere: await blocked(() => fetch(address, { mode: 'no-cors' })),
        service: await blocked(() => fetch(new URL('/libraries', document.baseURI))),
        files: await blocked(() => fetch(new URL('/app/assets/index.js', document.baseURI))),
        storage: await blocked(() => localStorage.length),
        cookie: await blocked(() => document.cookie),
        parent: await blocked(() => parent.document.title),
      };
    }, elsewhere);
    expect(reach).toEqual({
      elsewhere: 'blocked',
      service: 'blocked',
      files: 'blocked',
      storage: 'blocked',
      cookie: 'blocked',
      parent: 'blocked',
    });
  });

  test('runs no scripts other than those of its build', async () => {
    await tab.openFiles('file', 'a.txt', { 'a.txt': 'x' });
    const ran = await tab.frame.locator('main').evaluate(async () => {
      const seen: string[] = [];
      Object.assign(globalThis, { note: (how: string) => seen.push(how) });
      const script = (content: Partial<HTMLScriptElement>) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const element = Object.assign(document.createElement('script'), content);
        element.onload = element.onerror = () => resolve();
        document.head.append(element);
        return promise;
      };
      const blob = (text: string) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
      void script({ textContent: "note('inline')" });
      await script({ src: blob("note('blob')") });
      await script({ src: new URL('/app/assets/index.js', document.baseURI).href });
      try {
        seen.push(String(new Function('return "function"')()));
      } catch {}
      return seen;
    });
    expect(ran).toEqual([]);
    expect(tab.complaints.splice(0).length).toBeGreaterThan(0);
  });

  test('gets only files of its asset and of its own code', async () => {
    const answer = await tab.page.evaluate(async () => {
      const { openViewer } = globalThis as unknown as {
        openViewer(...parts: unknown[]): void;
      };
      const frame = { contentWindow: window, setAttribute: () => {}, src: '' };
      const asked: string[] = [];
      const read = async (path: string) => {
        asked.push(path);
        return new ArrayBuffer(1);
      };
      const ports = new Promise<MessagePort[]>((resolve) => {
        addEventListener('message', ({ ports }) => ports.length > 0 && resolve([...ports]));
      });
      openViewer(frame, { kind: 'file', entry: 'a', files: [{ path: 'a', size: 1 }] }, read, {
        theme: 'light',
        code: { entry: 'main.js', scripts: { 'main.js': [] }, files: ['a.wasm'] },
      });
      postMessage('bindery-viewer-ready', '*');
      const [theirs, code] = (await ports) as [MessagePort, MessagePort];
      const fetched: string[] = [];
      globalThis.fetch = async (url) => {
        fetched.push(String(url));
        return new Response('x');
      };
      const refusals: string[] = [];
      code.onmessage = ({ data }) => data.type === 'failed' && refusals.push(data.message);
      const unknown = ['../secret', 'index.js', '__proto__'];
      for (const [request, name] of [...unknown, 'a.wasm'].entries()) code.postMessage({ request, name });
      const messages: { type: string }[] = [];
      theirs.onmessage = ({ data }) => messages.push(data);
      const answers: string[] = [];
      for (const path of ['../secret', 'b', 'a']) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => answers.push(data.failure ?? 'file');
        theirs.postMessage({ type: 'read-file', path }, [port2]);
      }
      while (answers.length < 3 || refusals.length < 3)
        await new Promise((resolve) => setTimeout(resolve, 5));
      return { asked, fetched, refusals, answers: answers.sort(), types: messages.map(({ type }) => type) };
    });
    expect(answer).toEqual({
      asked: ['a'],
      fetched: ['/app/assets/a.wasm'],
      refusals: ['../secret', 'index.js', '__proto__'].map((name) => `not a file of the viewer: ${name}`),
      answers: ['file', 'not a file of this asset: ../secret', 'not a file of this asset: b'],
      types: ['open'],
    });
  });
});
