import { expect, test } from 'vitest';
import { suggestLicense } from '../src/app/suggest-license.ts';

const IDS = [
  ...[
    'AGPL-3.0-only',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC-BY-3.0',
    'CC-BY-4.0',
    'CC-BY-SA-3.0',
    'CC-BY-SA-4.0',
  ],
  ...['GPL-2.0-only', 'GPL-2.0-or-later', 'GPL-3.0-only', 'GPL-3.0-or-later', 'MIT'],
];

test.each([
  ['cc by 4', 'CC-BY-4.0'],
  ['CC BY 4.0', 'CC-BY-4.0'],
  ['Creative Commons BY-SA 4.0 International', 'CC-BY-SA-4.0'],
  ['mit license', 'MIT'],
  ['Apache License, Version 2.0', 'Apache-2.0'],
  ['bsd 3', 'BSD-3-Clause'],
  ['gpl v3', 'GPL-3.0-or-later'],
])('whoever writes %s is offered %s', (text, id) => {
  expect(suggestLicense(text, IDS)).toBe(id);
});

test.each([['MIT'], ['Apache-2.0 OR MIT'], ['LicenseRef-Acme'], ['ours'], [''], ['a b']])(
  'nothing is offered for %j',
  (text) => {
    expect(suggestLicense(text, IDS)).toBeNull();
  },
);
