import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import {
  fingerprints,
  matchLicenseText,
  shinglesOf,
  wordsOf,
} from '../../src/discovery/license/match-text.ts';
import { namedLicenses, toSpdxExpression } from '../../src/discovery/license/spdx-expressions.ts';
import { readmeMetadata } from '../../src/discovery/metadata/documents.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';
import { model, OBJ, ros, sdf, urdf } from './models.ts';

const LICENSES = createRequire(import.meta.url)('spdx-license-list/full') as Record<
  string,
  { licenseText: string }
>;

function described(files: Record<string, string | Uint8Array>, id: string) {
  const { assets, origins } = discoverLibrary(folderWith(files));
  return { asset: assets.find((asset) => asset.id === id), from: origins.get(id) };
}

test('a licence text that is not a known one is named, with the assets that it leaves without a licence', () => {
  const own = 'You may use this on Tuesdays.\n';
  const { warnings } = discoverLibrary(
    folderWith({
      'LICENSE.TXT': own,
      'arm/arm.obj': OBJ,
      'hand/hand.obj': OBJ,
      'leg/leg.obj': OBJ,
      'leg/LICENSE': LICENSES.MIT?.licenseText ?? '',
    }),
  );
  expect(warnings).toEqual([
    'LICENSE.TXT is not a licence that is known here, so arm and 1 more have none unless bindery.yml states it',
  ]);
});

describe('the metadata of an asset', () => {
  test('comes from its README, licence file and image, each named as the origin', () => {
    const { asset, from } = described(
      {
        'arm/arm.xml': model('<worldbody><body/></worldbody>'),
        'arm/arm.png': 'x',
        'arm/README.md':
          '# Acme Arm Description (MJCF)\n\n> [!IMPORTANT]\n> Not this.\n\n## Changelog\n\nSee [the list](CHANGELOG.md) of changes.\n\n## Overview\n\nThis is the [Acme](https://acme.test) arm\nwith **six** joints. It is derived.\n\n<img src="arm.png" width="400">\n',
        'arm/LICENSE': LICENSES['BSD-3-Clause']?.licenseText ?? '',
      },
      'arm',
    );
    expect(asset).toMatchObject({
      title: 'Acme Arm',
      description: 'This is the Acme arm with six joints.',
      license: 'BSD-3-Clause',
      thumbnail: 'arm/arm.png',
    });
    expect(from).toEqual({
      title: 'README.md',
      description: 'README.md',
      license: 'LICENSE',
      thumbnail: 'README.md',
    });
  });

  test('comes from its model.config, with the authors as attribution', () => {
    const config =
      '<model><name>Beer can</name><sdf version="1.6">model.sdf</sdf><author><name>Ann</name><email>a@b.test</email></author><author><name>Bob</name></author><description>\n A can\n of beer. </description></model>';
    expect(
      described({ 'beer/model.config': config, 'beer/model.sdf': sdf('<uri>beer.dae</uri>') }, 'beer').asset,
    ).toMatchObject({ title: 'Beer can', description: 'A can of beer.', attribution: 'Ann; Bob' });
  });

  test('comes from its package.xml, and the folders above it become tags', () => {
    const { asset, from } = described(
      {
        'makers/acme/arm_support/package.xml': ros('arm_support'),
        'makers/acme/arm_support/urdf/arm.urdf': urdf('package://arm_support/meshes/a.stl'),
        'makers/acme/arm_support/meshes/a.stl': 'solid',
      },
      'makers-acme-arm_support',
    );
    expect(asset).toMatchObject({
      title: 'Arm support',
      license: 'BSD-3-Clause',
      tags: ['makers', 'acme'],
    });
    expect(from).toMatchObject({ title: 'name', tags: 'path' });
  });

  test('is overridden by bindery.yml, whose defaults only fill in what is missing', () => {
    const { asset, from } = described(
      {
        'arm/arm.xml': model('<worldbody><body/></worldbody>'),
        'arm/README.md': '# Acme Arm\n\nA description long enough.',
        'bindery.yml': 'defaults: { license: MIT }\nassets: { arm: { title: My arm } }',
      },
      'arm',
    );
    expect(asset).toMatchObject({
      title: 'My arm',
      description: 'A description long enough.',
      license: 'MIT',
    });
    expect(from).toEqual({
      title: 'bindery.yml',
      description: 'README.md',
      license: 'bindery.yml (defaults)',
    });
  });

  test('is empty if its folder holds only a mesh', () => {
    const { asset, from } = described({ 'chair/chair.obj': OBJ }, 'chair');
    expect(asset).toBeDefined();
    for (const field of ['title', 'description', 'tags', 'license', 'attribution', 'thumbnail'])
      expect(asset).not.toHaveProperty(field);
    expect(from).toEqual({});
  });
});

test.each<[string, object, object]>([
  [
    'VRM 0',
    {
      VRM: { meta: { title: 'Ada', author: 'Bob', licenseName: 'CC_BY_NC', reference: 'https://ada.test' } },
    },
    { title: 'Ada', attribution: 'Bob', license: 'CC-BY-NC-4.0' },
  ],
  [
    'VRM 1',
    {
      VRMC_vrm: {
        meta: { name: 'Ada', authors: ['Bob', 'Carol'], licenseUrl: 'https://vrm.dev/licenses/1.0/' },
      },
    },
    { title: 'Ada', attribution: 'Bob; Carol', license: 'https://vrm.dev/licenses/1.0/' },
  ],
])(
  'an avatar in %s is a mesh with the title, authors and licence that it states',
  (_title, extensions, stated) => {
    const json = JSON.stringify({ asset: { version: '2.0' }, extensions });
    const bytes = Buffer.concat([Buffer.alloc(20), Buffer.from(json)]);
    for (const [at, word] of [0x46546c67, 2, bytes.length, json.length, 0x4e4f534a].entries())
      bytes.writeUInt32LE(word, at * 4);
    expect(described({ 'avatar/avatar.vrm': bytes }, 'avatar').asset).toMatchObject({
      kind: 'mesh',
      format: 'vrm',
      ...stated,
    });
  },
);

test('a title keeps the underscores inside its words', () => {
  expect(readmeMetadata('# ant_arm_v2\n').title).toBe('ant_arm_v2');
  expect(readmeMetadata('# The _ant_ __arm__\n').title).toBe('The ant arm');
});

test('a picture that the model has on its surface is not its thumbnail, even if it is named after it', () => {
  const { asset } = described(
    {
      'barrel/barrel.obj': `mtllib b.mtl\n${OBJ}`,
      'barrel/b.mtl': 'map_Kd barrel.png',
      'barrel/barrel.png': 'x',
    },
    'barrel',
  );
  expect(asset?.thumbnail).toBeUndefined();
  expect(described({ 'cup/cup.obj': OBJ, 'cup/cup.png': 'x' }, 'cup').asset?.thumbnail).toBe('cup/cup.png');
});

describe('licences', () => {
  test.each(['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC-BY-4.0', 'CC0-1.0', 'GPL-3.0-only'])(
    '%s is recognised by its text, whoever is the copyright holder',
    (id) => {
      const text = (LICENSES[id]?.licenseText ?? '').replace(/<[^<>]*>/g, 'Acme Robotics GmbH');
      expect(matchLicenseText(`${id}\n\n${text}`)).toMatchObject({ expression: id });
    },
  );

  test('two licence texts in one file are combined with AND', () => {
    const text = ['MIT', 'Apache-2.0'].map((id) => LICENSES[id]?.licenseText).join('\n\n');
    expect(matchLicenseText(text)?.expression).toBe('Apache-2.0 AND MIT');
  });

  test('another text, or only half of a licence text, is not recognised as a licence', () => {
    expect(matchLicenseText('All rights are mine. Ask me before you use it.')).toBeNull();
    const half = LICENSES['Apache-2.0']?.licenseText ?? '';
    expect(matchLicenseText(half.slice(0, half.length / 2))).toBeNull();
  });

  test.each([
    ['SPDX-License-Identifier: Apache-2.0 OR MIT', 'Apache-2.0 OR MIT'],
    ['[SPDX license identifier: "CC0-1.0"]', 'CC0-1.0'],
    ['See http://creativecommons.org/licenses/by/3.0/ for it', 'CC-BY-3.0'],
    ['Copyright 2023 Acme\nBSD 3-Clause\nhttps://acme.test', 'BSD-3-Clause'],
    ['nothing of the kind', undefined],
  ])('text is searched for licence names: %s', (text, expected) => {
    expect(namedLicenses(text)).toBe(expected);
  });

  test.each([
    ['Apache License, Version 2.0', 'Apache-2.0'],
    ['Apache 2.0', 'Apache-2.0'],
    ['MIT', 'MIT'],
    ['BSD-3-Clause AND MIT', 'BSD-3-Clause AND MIT'],
    ['BSD', undefined],
    ['TODO: License declaration', undefined],
  ])('declared as %s become an SPDX expression or none', (declared, expected) => {
    expect(toSpdxExpression(declared)).toBe(expected);
  });

  test('the fingerprints match the current texts of the SPDX licence list', () => {
    for (const { id, modulus, shingles } of fingerprints()) {
      const text = LICENSES[id]?.licenseText ?? '';
      const expected = [...shinglesOf(wordsOf(text))].filter((shingle) => shingle % modulus === 0);
      expect(shingles, `${id}: run "npm run license-texts"`).toEqual(new Set(expected));
    }
  });
});

test('a README of only badges and lists gives a title and nothing else', () => {
  expect(readmeMetadata('Thing\n=====\n\n[![badge](https://x.test/b.svg)](y)\n\n- one\n- two\n')).toEqual({
    title: 'Thing',
    description: undefined,
    picture: undefined,
  });
});
