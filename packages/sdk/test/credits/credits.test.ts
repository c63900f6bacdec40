import type { Manifest, ManifestAsset } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { creditsAsMarkdown, creditsAsSpdx, creditsOf } from '../../src/credits/index.ts';

const asset = (id: string, more: Partial<ManifestAsset> = {}): ManifestAsset => ({
  id,
  files: [{ path: `${id}/f`, size: 1, sha256: 'a'.repeat(64) }],
  ...more,
});

const revision = {
  library: 'acme/robots',
  server: 'https://bindery.example',
  release: null,
  revision: 7,
  publishedAt: '2026-03-04T05:06:07.890Z',
};

function creditsWith(assets: ManifestAsset[], license?: string) {
  const library = {
    license,
    title: 'Robots',
    provider: 'Acme',
    homepage: 'https://acme.example/robots',
    upstream: { repo: 'https://code.acme.example/robots.git' },
  };
  return creditsOf(revision, { schema: 1, library, assets } as unknown as Manifest);
}

describe('credits', () => {
  test('an asset without a licence inherits that of its library', () => {
    const { assets } = creditsWith([asset('arm'), asset('mug', { license: 'CC0-1.0' })], 'MIT');
    expect(assets.map(({ license }) => license)).toEqual([
      { kind: 'expression', expression: 'MIT' },
      { kind: 'expression', expression: 'CC0-1.0' },
    ]);
  });

  test('a licence that is not an SPDX expression is kept as text, and a missing one is unknown', () => {
    const { assets } = creditsWith([asset('arm', { license: 'BSD' }), asset('mug', { license: null })]);
    expect(assets.map(({ license }) => license)).toEqual([
      { kind: 'text', text: 'BSD' },
      { kind: 'unknown' },
    ]);
  });
});

describe('the credits page', () => {
  test('lists assets by licence, those without one first', () => {
    const page = creditsAsMarkdown([
      creditsWith([
        asset('arm', {
          title: 'An arm',
          license: 'MIT',
          attribution: 'Ada Lovelace',
          upstream: { url: 'https://ada.example/arm_v2' },
        }),
        asset('mug'),
      ]),
    ]);
    expect(page.replace(/sha256\S+/g, 'sha256')).toBe(`# Credits of Robots

Revision 7 of \`acme/robots\`, published 2026-03-04T05:06:07.890Z. Everything below was stated by its publisher; whether files were changed before they were published is not recorded.

- Published by: Acme
- Homepage: <https://acme.example/robots>
- Source: <https://code.acme.example/robots.git>

## No licence stated

### mug

- Asset: mug
- Digest of its files: sha256

## MIT

### An arm

- Asset: arm
- By: Ada Lovelace
- Source: <https://ada.example/arm_v2>
- Digest of its files: sha256
`);
  });

  test('of several libraries names the library of each asset', () => {
    const kitchen = {
      ...creditsWith([asset('mug')]),
      library: 'ada/kitchen',
      title: null,
      release: 'v1.2',
      publishedAt: null,
    };
    const page = creditsAsMarkdown([kitchen, creditsWith([asset('arm', { license: 'MIT' }), asset('hand')])]);
    expect(page.replace(/sha256\S+/g, 'sha256')).toBe(`# Credits

Everything below was stated by the publishers of these libraries; whether files were changed before they were published is not recorded.

- ada/kitchen: Revision 7 of \`ada/kitchen\`, release \`v1.2\`
  - Published by: Acme
  - Homepage: <https://acme.example/robots>
  - Source: <https://code.acme.example/robots.git>
- Robots: Revision 7 of \`acme/robots\`, published 2026-03-04T05:06:07.890Z
  - Published by: Acme
  - Homepage: <https://acme.example/robots>
  - Source: <https://code.acme.example/robots.git>

## No licence stated

### mug

- Asset: ada/kitchen/mug
- Digest of its files: sha256

### hand

- Asset: acme/robots/hand
- Digest of its files: sha256

## MIT

### arm

- Asset: acme/robots/arm
- Digest of its files: sha256
`);
  });

  test('leaves out characters that control a terminal or reorder the text', () => {
    const page = creditsAsMarkdown([
      creditsWith([asset('arm', { attribution: 'Ada\u001b[2J \u202eevil\u2066' })]),
    ]);
    expect(page).toContain('- By: Ada\\[2J evil\n');
  });

  test('escapes HTML and Markdown in text from authors', () => {
    const page = creditsAsMarkdown([
      creditsWith([
        asset('arm', {
          title: '<script>x</script>\n## Licensed MIT',
          attribution: '[free](javascript:alert(1)) **all**',
          upstream: { url: 'https://x.example/> <b>' },
        }),
      ]),
    ]);
    expect(page).toContain('### \\<script\\>x\\</script\\> \\#\\# Licensed MIT\n');
    expect(page).toContain('- By: \\[free\\](javascript:alert(1)) \\*\\*all\\*\\*\n');
    expect(page).toContain('- Source: https://x.example/\\> \\<b\\>\n');
  });
});

describe('the SPDX bill of materials', () => {
  const options = { created: '2026-03-04T05:06:07.890Z', version: '1.2.3' };
  const assets = [
    asset('a_b', {
      license: 'MIT OR Apache-2.0',
      attribution: 'Ada',
      upstream: { url: 'https://ada.example' },
    }),
    asset('b', { license: 'Free for robots' }),
    asset('c', { license: 'Free for robots', upstream: { id: 'on a stick' } }),
    asset('d'),
  ];
  // biome-ignore lint/suspicious/noExplicitAny: read as any other reader of JSON would
  const documentOf = (some = assets): any => creditsAsSpdx([creditsWith(some)], options);

  test('has a package per asset, with its SPDX licence, a LicenseRef or NOASSERTION', () => {
    const { packages, hasExtractedLicensingInfos } = documentOf();
    expect(packages.map((one: { licenseDeclared: string }) => one.licenseDeclared)).toEqual([
      'MIT OR Apache-2.0',
      'LicenseRef-1',
      'LicenseRef-1',
      'NOASSERTION',
    ]);
    expect(hasExtractedLicensingInfos).toMatchObject([
      { licenseId: 'LicenseRef-1', extractedText: 'Free for robots' },
    ]);
    expect(packages[0]).toMatchObject({ copyrightText: 'Ada', downloadLocation: 'https://ada.example' });
    expect(packages[2]).toMatchObject({ downloadLocation: 'NOASSERTION', sourceInfo: 'on a stick' });
  });

  test('has the form that SPDX 2.3 requires', () => {
    const { creationInfo, documentNamespace, packages, relationships, ...document } = documentOf();
    expect(document).toMatchObject({
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
    });
    expect(creationInfo).toEqual({ created: '2026-03-04T05:06:07Z', creators: ['Tool: bindery-1.2.3'] });
    expect(documentNamespace).toMatch(/^https:\/\/bindery\.example\/spdx\/acme\/robots\/7\/[0-9a-f]{64}$/);
    const ids = packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^SPDXRef-[a-zA-Z0-9.-]+$/);
    const described = relationships.map((one: { relatedSpdxElement: string }) => one.relatedSpdxElement);
    expect(described).toEqual(ids);
  });

  test('is the same for the same assets, and has another namespace for other assets', () => {
    expect(documentOf()).toEqual(documentOf());
    expect(documentOf(assets.slice(1)).documentNamespace).not.toBe(documentOf().documentNamespace);
  });
});
