import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTurntable } from '@bindery/formats/images/turntable';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Configuration, readConfiguration } from '../../src/configuration/configuration.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const PNG = Buffer.from('iVBORw0KGgo', 'base64');
const ROBOTS: WrittenLibrary = {
  library: { title: 'Robots & more', description: 'All of ours' },
  assets: [
    {
      id: 'arm',
      title: '<b>"Arm"</b>',
      files: { 'arm/arm.urdf': '<robot/>' },
      thumbnail: '.bindery/thumbs/a b.png',
    },
    {
      id: 'hand',
      description: 'Five fingers',
      files: { 'hand/hand.svg': '<svg/>' },
      thumbnail: 'hand/hand.svg',
    },
    { id: 'rover', files: { 'rover/rover.urdf': '<robot/>' }, thumbnail: '.bindery/thumbs/rover.png' },
  ],
  generated: { '.bindery/thumbs/a b.png': PNG, '.bindery/thumbs/rover.png': PNG },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-previews-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Bindery</title>');
  await writeFile(join(folder, 'viewer.html'), '<!doctype html><title>Frame</title>');
  await writeFile(join(folder, 'viewer-policy.json'), JSON.stringify({ policy: "default-src 'none'" }));
});
afterAll(() => rm(folder, { recursive: true }));

/** A service on which Ada has `ada/robots`, with a release, and `ada/secret`, which is private and shared by a token. */
async function serviceWith(embedOrigins: Configuration['embedOrigins']) {
  const service = await startService({ dashboardFolder: folder, configuration: { embedOrigins } });
  const ada = await service.member('ada');
  await publish(ada, 'ada/robots', { ...ROBOTS, visibility: 'public' });
  await ada.post('/namespaces/ada/libraries/robots/releases', { name: 'v1' });
  const { shareToken } = await publish(ada, 'ada/secret', { ...ROBOTS, share: true });
  return { service, shareToken, ada };
}

const read = async (service: TestService, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(service.url + path, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe('a link to the dashboard', () => {
  let service: TestService;
  let share: string;
  let ada: Awaited<ReturnType<TestService['member']>>;
  beforeAll(async () => {
    const made = await serviceWith('public');
    service = made.service;
    share = made.shareToken ?? '';
    ada = made.ada;
  });
  afterAll(() => service.close());

  const metaOf = async (path: string) => {
    const { text } = await read(service, path);
    return Object.fromEntries(
      [...text.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
  };

  test('shows an asset with its title, what it is of, and its picture at a permanent address', async () => {
    const meta = await metaOf('/app/ada/robots/arm');
    expect(meta).toMatchObject({
      'og:site_name': 'Bindery',
      'og:title': '&lt;b&gt;&quot;Arm&quot;&lt;/b&gt;',
      'og:description': 'An asset of Robots &amp; more',
      'og:url': `${service.url}/app/ada/robots/arm`,
      'og:image': `${service.url}/raw/ada/robots/.bindery/thumbs/a%20b.png`,
      'twitter:card': 'summary_large_image',
    });
    const picture = await fetch(meta['og:image'] ?? '');
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG);
  });

  test('shows a library with its first picture, and a release with its own', async () => {
    expect(await metaOf('/app/ada/robots')).toMatchObject({
      'og:title': 'Robots &amp; more',
      'og:description': 'All of ours',
      'og:image': `${service.url}/raw/ada/robots/.bindery/thumbs/a%20b.png`,
    });
    expect(await metaOf('/app/ada/robots/arm?release=v1')).toMatchObject({
      'og:url': `${service.url}/app/ada/robots/arm?release=v1`,
      'og:image': `${service.url}/raw/ada/robots@v1/.bindery/thumbs/a%20b.png`,
    });
  });

  test('shows a library with the picture that was chosen as its cover, if sites show it', async () => {
    const pictureOf = async () => (await metaOf('/app/ada/robots'))['og:image'];
    const first = await pictureOf();
    const choose = (cover: string | null) => ada.post('/namespaces/ada/libraries/robots', { cover });
    await choose('rover');
    expect(await pictureOf()).toBe(`${service.url}/raw/ada/robots/.bindery/thumbs/rover.png`);
    for (const one of ['hand', null]) {
      await choose(one);
      expect(await pictureOf()).toBe(first);
    }
  });

  test('shows what was drawn with a turntable as that, and as it stands where sites want no animation', async () => {
    const frame = { create: { width: 8, height: 8, channels: 4, background: '#8888' } } as const;
    const still = await sharp(frame).webp().toBuffer();
    await publish(ada, 'ada/turning', {
      assets: [{ id: 'arm', files: { 'arm/arm.stl': 'solid' }, thumbnail: '.bindery/thumbs/arm.webp' }],
      generated: { '.bindery/thumbs/arm.webp': withTurntable(still, still) },
      visibility: 'public',
    });
    const { text } = await read(service, '/app/ada/turning/arm');
    const picture = `${service.url}/raw/ada/turning/.bindery/thumbs/arm.webp`;
    const shown = [...text.matchAll(/<meta (?:property|name)="(\S+:image)" content="([^"]+)">/g)];
    expect(shown.map(([, name, value]) => [name, value])).toEqual([
      ['og:image', `${picture}?turntable`],
      ['og:image', picture],
      ['twitter:image', picture],
    ]);
    expect((await fetch(`${picture}?turntable`)).headers.get('content-type')).toBe('image/webp');
  });

  test('has no picture that sites do not show', async () => {
    const meta = await metaOf('/app/ada/robots/hand');
    expect(meta).toMatchObject({ 'og:description': 'Five fingers', 'twitter:card': 'summary' });
    expect(meta).not.toHaveProperty('og:image');
  });

  test('says nothing of what is hidden, as of what is missing, to whomever', async () => {
    const missing = (await read(service, '/app/ada/nothing/arm')).text;
    expect(missing).not.toContain('og:');
    for (const path of [
      'secret/arm',
      'secret',
      `secret/arm?share=${share}`,
      'robots/none',
      'robots/arm?release=v9',
    ]) {
      expect((await read(service, `/app/ada/${path}`)).text).toBe(missing);
    }
    for (const path of ['/app/', '/app/ada', '/app/%00/x/y', '/app/ada/robots/-/push'])
      expect((await read(service, path)).text).toBe(missing);
  });

  test('tells what can embed it where the frame is, as oEmbed', async () => {
    const { text } = await read(service, '/app/ada/robots/arm?release=v1');
    const [, href = ''] = /type="application\/json\+oembed" href="([^"]+)"/.exec(text) ?? [];
    const answer = await fetch(href.replaceAll('&amp;', '&'));
    expect(await answer.json()).toEqual({
      version: '1.0',
      type: 'rich',
      title: '<b>"Arm"</b>',
      provider_name: 'Bindery',
      provider_url: service.url,
      width: 640,
      height: 480,
      html: `<iframe src="${service.url}/app/embed/ada/robots@v1/arm" width="640" height="480" title="&lt;b&gt;&quot;Arm&quot;&lt;/b&gt;" style="border:0" loading="lazy" allowfullscreen></iframe>`,
    });
  });

  test('has as large a frame as the site that asks has room for', async () => {
    const page = encodeURIComponent(`${service.url}/app/embed/ada/robots/arm`);
    const asked = JSON.parse((await read(service, `/oembed?url=${page}&maxwidth=320&maxheight=9999`)).text);
    expect(asked).toMatchObject({ width: 320, height: 480 });
  });

  test('is missing as oEmbed if it is hidden, missing or elsewhere', async () => {
    const statusOf = async (url: string) =>
      (await read(service, `/oembed?url=${encodeURIComponent(url)}`)).status;
    for (const path of ['/app/ada/secret/arm', '/app/ada/nothing/arm', '/app/ada/robots', '/ada/robots/arm'])
      expect(await statusOf(service.url + path)).toBe(404);
    expect(await statusOf('https://elsewhere.example.org/app/ada/robots/arm')).toBe(404);
    expect(await statusOf('no address')).toBe(404);
    expect((await read(service, '/oembed')).status).toBe(404);
    expect((await read(service, '/oembed?url=x&format=xml')).status).toBe(501);
  });
});

describe('who may frame an asset', () => {
  const settings = {
    public: ['*', 'none', '*'],
    any: ['*', '*', '*'],
    off: ['none', 'none', ''],
    listed: ['https://wiki.example.org', 'https://wiki.example.org', 'https://wiki.example.org'],
  } as const;

  test.each(Object.entries(settings))('is set: %s', async (setting, [ofPublic, ofShared, ofViewer]) => {
    const { service, shareToken, ada } = await serviceWith(
      setting === 'listed' ? ['https://wiki.example.org'] : (setting as 'public'),
    );
    try {
      const framersOf = async (path: string, headers = {}) => {
        const answer = await read(service, path, headers);
        const policy = answer.headers.get('content-security-policy') ?? '';
        const framers = /frame-ancestors ([^;]+)/.exec(policy)?.[1] ?? '';
        expect(answer.headers.get('x-frame-options')).toBe(framers === "'none'" ? 'DENY' : null);
        return framers;
      };
      const written = (framers: string) => (framers === 'none' ? "'none'" : framers);
      expect(await framersOf('/app/embed/ada/robots/arm')).toBe(written(ofPublic));
      expect(await framersOf('/app/embed/ada/robots@v1/arm')).toBe(written(ofPublic));
      expect(await framersOf(`/app/embed/ada/secret/arm?share=${shareToken}`)).toBe(written(ofShared));
      for (const hidden of ['secret/arm', 'nothing/arm', 'secret/arm?share=wrong'])
        expect(await framersOf(`/app/embed/ada/${hidden}`)).toBe("'none'");
      expect(await framersOf('/app/embed/ada/secret/arm', ada.headers)).toBe("'none'");
      for (const page of ['/app/ada/robots/arm', '/app/ada/robots', '/app/'])
        expect(await framersOf(page)).toBe("'none'");
      const viewer = await read(service, '/app/viewer.html');
      expect(viewer.headers.get('content-security-policy')).toContain(
        `frame-ancestors 'self'${ofViewer && ` ${ofViewer}`}`,
      );
      const { text } = await read(service, '/app/ada/robots/arm');
      expect(text.includes('application/json+oembed')).toBe(setting !== 'off');
    } finally {
      await service.close();
    }
  });

  test('is read from the environment', () => {
    const read = (value: string | undefined) =>
      readConfiguration({ BINDERY_EMBED_ORIGINS: value }).embedOrigins;
    expect([read(undefined), read('any'), read('off')]).toEqual(['public', 'any', 'off']);
    expect(read('https://wiki.example.org, https://*.example.com:8443')).toEqual([
      'https://wiki.example.org',
      'https://*.example.com:8443',
    ]);
    for (const wrong of [
      'wiki.example.org',
      '*',
      'https://a.example.org/path',
      'https://x; script-src *',
      'everybody',
    ])
      expect(() => read(wrong)).toThrow(
        'BINDERY_EMBED_ORIGINS: it must be public, any, off, or origins such as',
      );
  });
});
