import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAssetsFile, withoutUse, withUse } from '../../src/project-assets/assets-file.ts';
import { formatLock, type Lock, parseLock } from '../../src/project-assets/lock.ts';
import { formatUse, parseCanonicalUse, parseUse } from '../../src/project-assets/use.ts';
import { canRun } from '../credentials/needed-programs.ts';
import { PYTHON, runs } from '../credentials/secret-service-session.ts';
import { temporaryFolder } from '../folder.ts';

const PYTHON_PACKAGE = fileURLToPath(new URL('../../../../python', import.meta.url));
const missingYaml = () => (runs(PYTHON, ['-c', 'import yaml']) ? [] : ["Python's yaml"]);

const YAML = `# What the simulation stands on.
server: https://bindery.example.com
folder: third_party/assets # not ours
deny_licenses: [GPL-3.0-only]
assets:
  - ada/kitchen@v1.2/mug-white
  - use: ada/robots/ur5e # the arm
    as: arm
  - ada/robots?tag=x y&kind=mjcf
  - ada/robots/gripper-*
`;

describe('assets.yml', () => {
  test('is parsed into server, folder, denied licences and uses', () => {
    const { server, folder, denyLicenses, uses } = parseAssetsFile(YAML);
    expect({ server, folder, denyLicenses }).toEqual({
      server: 'https://bindery.example.com',
      folder: 'third_party/assets',
      denyLicenses: ['GPL-3.0-only'],
    });
    expect(uses.map((use) => `${use.line} ${formatUse(use)}`)).toEqual([
      '6 ada/kitchen@v1.2/mug-white',
      '7 ada/robots/ur5e as arm',
      '9 ada/robots?kind=mjcf&tag=x y',
      '10 ada/robots/gripper-*',
    ]);
  });

  test('can be empty', () => {
    expect(parseAssetsFile('')).toMatchObject({ server: null, folder: 'assets', uses: [] });
    expect(parseAssetsFile('assets:\n').uses).toEqual([]);
  });

  test.each([
    ['assets: [', /^assets.yml:1:\d+: /],
    ['assets:\n  - ada/kitchen', /^assets.yml:2:5: assets.0: ada\/kitchen is a whole library; name an asset/],
    ['assets:\n  - 3', /^assets.yml:2:5: assets.0 must be a string$/],
    ['assets: mug', /^assets.yml:1:9: assets must be a list$/],
    ['asset: []', /^assets.yml:1:1: unknown key "asset"$/],
    ['assets:\n  - use: a/b/c\n    ass: d', /^assets.yml:3:5: unknown key "ass" in assets.0$/],
    ['assets:\n  - as: d', /^assets.yml:2:5: assets.0 has no "use"$/],
    ['assets:\n  - use: a/b/c-*\n    as: d', /^assets.yml:2:5: assets.0: "as" needs a single asset$/],
    ['assets:\n  - a/b/c!d', /^assets.yml:2:5: assets.0: "c!d" must be 1 to 128/],
    [
      'assets:\n  - a/b?color=red',
      /^assets.yml:2:5: assets.0: "color" is not a filter; use kind, license, tag$/,
    ],
    ['assets:\n  - a/b?kind=', /kind= has no value$/],
    ['assets:\n  - a/b@latest/c', /does not name an asset/],
    ['folder: ../elsewhere', /^assets.yml:1:9: folder: "..\/elsewhere" /],
    ['folder: /etc', /^assets.yml:1:9: folder: "\/etc" /],
    ['server: nowhere', /^assets.yml:1:9: server: /],
    ['deny_licenses:\n  - [x]', /^assets.yml:2:5: deny_licenses.0 must be a string$/],
    ['&a [*a]', /assets.yml:1:/],
  ])('with %j is refused with reason and position', (text, message) => {
    expect(() => parseAssetsFile(text)).toThrow(message);
  });

  test('that uses two releases of one library is refused with both lines', () => {
    expect(() => parseAssetsFile('assets:\n  - a/b@v1/c\n  - a/d/e\n  - a/b/f\n')).toThrow(
      'assets.yml:4:5: a/b is used with no release here and with v1 in line 2; a project can use only one of them',
    );
  });

  test('is edited in place and keeps its comments', () => {
    const added = withUse(YAML, parseUse('ada/plants/fern', 'plant'));
    expect(added).toBe(`${YAML}  - use: ada/plants/fern\n    as: plant\n`);
    expect(withUse(added, parseUse('ada/plants/fern', 'plant'))).toBe(added);
    expect(withoutUse(added, 'plant')).toEqual({ text: YAML, removed: ['ada/plants/fern as plant'] });
    expect(withUse(null, parseUse('ada/kitchen/mug'))).toBe('assets:\n  - ada/kitchen/mug\n');
    expect(withUse('folder: here\n', parseUse('ada/kitchen/mug'))).toBe(
      'folder: here\nassets:\n  - ada/kitchen/mug\n',
    );
  });

  test.each(['ada/kitchen@v1.2/mug-white', 'ada/kitchen/mug-white', 'mug-white'])(
    'drops a use that is given as %s',
    (meant) => {
      expect(withoutUse(YAML, meant).removed).toEqual(['ada/kitchen@v1.2/mug-white']);
    },
  );

  test.each([
    ['# ours\nassets:\n  - ada/kitchen/mug\n# end\n', '# ours\nassets:\n  - ada/kitchen?tag=blue\n\n# end\n'],
    [
      'folder: here # ours\nassets: [ada/kitchen/mug]\n',
      'folder: here # ours\nassets:\n  - ada/kitchen?tag=blue\n',
    ],
    ['{assets: [ada/kitchen/mug]}', 'assets:\n  - ada/kitchen?tag=blue\n'],
  ])('that loses its last use and gains one stays in lines with its comments: %j', (before, after) => {
    const emptied = withoutUse(before, 'mug').text;
    expect(parseAssetsFile(emptied).uses).toEqual([]);
    expect(withUse(emptied, parseUse('ada/kitchen?tag=blue'))).toBe(after);
  });

  test.runIf(canRun('The Python reader of assets.yml', missingYaml()))(
    'is read by the Python package after each edit',
    () => {
      const folder = temporaryFolder();
      const usesInPython = (text: string) => {
        writeFileSync(join(folder, 'assets.yml'), text);
        const script =
          'import json, sys\nfrom bindery._project import read_project\nprint(json.dumps(read_project(sys.argv[1]).uses))';
        const env = { ...process.env, PYTHONPATH: PYTHON_PACKAGE, PYTHONDONTWRITEBYTECODE: '1' };
        return JSON.parse(execFileSync(PYTHON, ['-c', script, folder], { encoding: 'utf8', env }));
      };
      const emptied = withoutUse('assets:\n  - ada/kitchen/mug\n', 'mug').text;
      expect(usesInPython(emptied)).toEqual([]);
      expect(usesInPython(withUse(emptied, parseUse('ada/kitchen?tag=blue')))).toEqual([
        'ada/kitchen?tag=blue',
      ]);
      expect(usesInPython(withUse('{}', parseUse('ada/kitchen?tag=blue')))).toEqual(['ada/kitchen?tag=blue']);
    },
  );

  test('moves the other uses of a library to the release that is added', () => {
    const moved = withUse(YAML, parseUse('ada/kitchen@v2/jug'));
    const releases = parseAssetsFile(moved).uses.filter(({ library }) => library.name === 'kitchen');
    expect(new Set(releases.map(({ library }) => library.release))).toEqual(new Set(['v2']));
    expect(releases.length).toBeGreaterThan(1);
  });

  test('refuses an edit that would make it invalid, and ignores the removal of an unknown use', () => {
    expect(() => withUse(YAML, parseUse('ada/kitchen/jug'))).toThrow(/ada\/kitchen is used with no release/);
    expect(withoutUse(YAML, 'no/such/thing')).toEqual({ text: YAML, removed: [] });
  });
});

test.each([
  'a/b/c',
  'a/b@v1/c',
  'a/b/c as d',
  'a/b/c-*',
  'a/b@v1/{c,d}-?',
  'a/b?kind=mjcf&license=MIT OR Apache-2.0',
])('the use %s is formatted as it was written', (text) => {
  expect(formatUse(parseCanonicalUse(text))).toBe(text);
});

const SHA256 = 'ab'.repeat(32);
const LOCK: Lock = {
  uses: ['ada/kitchen@v1.2/mug-white', 'ada/robots/ur5e as arm'],
  libraries: {
    'ada/kitchen': {
      server: 'https://bindery.example.com',
      release: 'v1.2',
      revision: 7,
      manifest: { sha256: SHA256, size: 12_345 },
    },
    'ada/robots': {
      server: 'https://bindery.example.com',
      revision: 3,
      manifest: { sha256: SHA256, size: 5 },
    },
  },
  assets: [
    { name: 'arm', library: 'ada/robots', asset: 'ur5e', digest: `sha256:${SHA256}` },
    {
      name: 'mug-white',
      library: 'ada/kitchen',
      asset: 'mug-white',
      digest: `sha256:${SHA256}`,
      entry: 'mug-white/mug.xml',
    },
  ],
};
const TEXT = formatLock(LOCK);

describe('assets.lock', () => {
  test('is read as it was written, with LF or CRLF line endings', () => {
    expect(parseLock(TEXT)).toEqual(LOCK);
    expect(parseLock(TEXT.replaceAll('\n', '\r\n'))).toEqual(LOCK);
    expect(TEXT.endsWith('}\n')).toBe(true);
  });

  test.each([
    [
      '"lockVersion": 1',
      '"lockVersion": 2',
      /^assets.lock:2:3: has the newer format 2; this version of Bindery reads 1\. Install a newer one$/,
    ],
    ['"lockVersion": 1', '"lockVersion": "1"', /^assets.lock:2:3: lockVersion must be 1$/],
    [
      '"revision": 3,',
      '"revision": -3,',
      /^assets.lock:\d+:7: libraries.ada\/robots.revision must be an integer$/,
    ],
    ['"size": 5', '"size": 5, "more": 1', /libraries.ada\/robots.manifest.more is an unknown key$/],
    [`"sha256": "${SHA256}"`, '"sha256": "AB"', /libraries.ada\/kitchen.manifest.sha256 must be a SHA-256$/],
    [
      '"release": "v1.2"',
      '"release": "../v1"',
      /^assets.lock:10:7: libraries.ada\/kitchen.release must be the name of a release$/,
    ],
    ['"release": "v1.2",', '"release": "v1.2", "release": "v1.3",', /^assets.lock:10:\d+: .*unique/],
    [
      '"ada/robots": {',
      '"ada/../etc": {',
      /^assets.lock:\d+:5: libraries.ada\/..\/etc is not named as a library$/,
    ],
    ['mug-white/mug.xml', '../../.bashrc', /assets.1.entry /],
    ['mug-white/mug.xml', '/etc/passwd', /assets.1.entry /],
    ['"name": "arm"', '"name": "mug-white"', /assets.1.name is there twice$/],
    [
      '"library": "ada/robots"',
      '"library": "ada/plants"',
      /assets.0.library must be one of the libraries listed above$/,
    ],
    ['"asset": "ur5e"', '"asset": "a/b"', /assets.0.asset must be the id of an asset$/],
    ['https://bindery.example.com', 'javascript:alert(1)', /server must be the address of a server$/],
    ['ada/robots/ur5e as arm', 'everything', /^assets.lock:5:5: uses.1 is not a valid use: /],
    ['"uses": [', '"uses": [,', /^assets.lock:3:\d+: is not valid JSON/],
    ['}\n', '', /^assets.lock:\d+:\d+: is not valid JSON/],
  ])('with %j changed to %j is refused with reason and position', (part, instead, message) => {
    expect(TEXT).toContain(part);
    const at = part === '}\n' ? TEXT.lastIndexOf(part) : TEXT.indexOf(part);
    const text = TEXT.slice(0, at) + instead + TEXT.slice(at + part.length);
    expect(() => parseLock(text)).toThrow(message);
  });
});
