import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bigrams, splitWords, textWords } from '../../../src/revision/words/text-words.ts';
import { parseQuery, parseSynonyms } from '../../../src/search/relevance/query.ts';
import { editDistance } from '../../../src/search/relevance/similar-words.ts';
import { searchWords, WordLibrary, type WordSearchResult } from './word-library.ts';

const library = new WordLibrary([
  {
    id: 'robotiq_2f85',
    title: 'Robotiq 2F-85',
    description: 'A two-finger gripper.',
    category: 'end-effector',
  },
  { id: 'skydio_x2', title: 'Skydio X2', tags: ['drone'], description: 'A flying robot with a camera.' },
  { id: 'GlassBrokenWindow', title: 'Glass Broken Window', kind: 'mesh' },
  { id: 'pendulum', title: 'Pendulum', description: 'A pendulum with two links.' },
  { id: 'ur5e', title: 'UR5e', description: 'A 6-DoF arm.', tags: ['arm'] },
  { id: 'cafe', title: 'Café Möbel' },
  { id: 'robot-jp', title: '産業用ロボット', description: '機械学習のための机' },
  { id: 'anymal_c', title: 'ANYmal C', category: 'quadruped' },
  { id: 'cassie', title: 'Cassie', description: 'Walks on two legs.' },
]);

const found = async (query: string) => (await searchWords([library], query)).hits.map(({ id }) => id);
const first = async (query: string) => (await found(query))[0];

describe('a search by relevance', () => {
  test.each([
    ['plurals', 'grippers', 'robotiq_2f85'],
    ['letters and digits typed as one word', '2f85', 'robotiq_2f85'],
    ['letters and digits typed as two words', '2f 85', 'robotiq_2f85'],
    ['a missing hyphen', '6dof', 'ur5e'],
    ['words of names in CamelCase', 'broken window', 'GlassBrokenWindow'],
    ['two words typed as one', 'endeffector', 'robotiq_2f85'],
    ['words without their accents', 'cafe mobel', 'cafe'],
    ['words with accents that the text lacks', 'Skýdio', 'skydio_x2'],
    ['scripts without spaces', 'ロボット', 'robot-jp'],
    ['a single letter of such a script', '机', 'robot-jp'],
    ['synonyms', 'quadcopter', 'skydio_x2'],
    ['synonyms of several words', 'robot dog', 'anymal_c'],
    ['a word with several synonyms', 'a manipulator', 'ur5e'],
    ['the beginning of the last word', 'grip', 'robotiq_2f85'],
    ['a missing letter', 'grpper', 'robotiq_2f85'],
    ['two letters swapped', 'pednulum', 'pendulum'],
    ['the first letter mistyped', 'fendulum', 'pendulum'],
  ])('puts the right asset first for %s (%s)', async (_, query, id) => {
    expect(await first(query)).toBe(id);
  });

  test('ignores stop words, and does not take a single letter at the end for a prefix', async () => {
    expect(await first('gripper with two fingers')).toBe('robotiq_2f85');
    expect(await found('with a the of')).toEqual([]);
    expect(await found('anymal c')).toEqual(['anymal_c']);
  });

  test('corrects and reports a mistyped word only if no asset has it, and does not correct numbers', async () => {
    expect((await searchWords([library], 'grpper')).corrections).toEqual(new Map([['grpper', 'gripper']]));
    expect((await searchWords([library], 'gripper')).corrections.size).toBe(0);
    expect((await searchWords([library], '2f86')).hits).toEqual([]);
  });

  test('does not correct a word that is English', async () => {
    const monkeys = new WordLibrary([{ id: 'suzanne', title: 'Monkey' }]);
    expect((await searchWords([monkeys], 'money')).hits).toEqual([]);
    expect((await searchWords([monkeys], 'monky')).hits).toHaveLength(1);
  });

  test('finds derivations of a word after the word itself', async () => {
    const boxes = new WordLibrary([
      { id: 'bin', title: 'Bin', description: 'It contains waste.' },
      { id: 'container', title: 'Container' },
      { id: 'drum', title: 'Drum', description: 'A container of oil.' },
    ]);
    const { hits } = await searchWords([boxes], 'containers');
    expect(hits.map(({ id }) => id)).toEqual(['container', 'drum', 'bin']);
  });

  test('finds what a title or a tag names a kind of', async () => {
    const things = new WordLibrary([
      { id: 'fox', title: 'Fox' },
      { id: 'engine', title: 'Red fire truck' },
      { id: 'couch', title: 'Lounge piece 3', tags: ['sofa'] },
      { id: 'story', title: 'Story', description: 'About a fox and a truck.' },
    ]);
    const names = async (query: string) => (await searchWords([things], query)).hits.map(({ id }) => id);
    expect(await names('animal')).toEqual(['fox']);
    expect(await names('vehicle')).toEqual(['engine']);
    expect(await names('furniture')).toEqual(['couch']);
  });

  test('takes no synonyms of words that belong to others before them', async () => {
    const robots = new WordLibrary([
      { id: 'dog', title: 'Quadruped' },
      { id: 'walker', title: 'Walker', description: 'A bipedal machine.' },
    ]);
    const names = async (query: string) => (await searchWords([robots], query)).hits.map(({ id }) => id);
    expect(await names('legged robot')).toEqual(['dog']);
    expect(await names('two-legged robot')).toEqual(['walker']);
  });

  test('finds licences by their words, not by their versions', async () => {
    const hands = new WordLibrary([{ id: 'hand', title: 'Hand', license: 'BSD-3-Clause' }]);
    expect((await searchWords([hands], 'bsd')).hits).toHaveLength(1);
    expect((await searchWords([hands], 'three')).hits).toEqual([]);
  });

  test('finds compounds by their parts, and what is written apart by a compound', async () => {
    const street = new WordLibrary([
      { id: 'hydrant', title: 'Firehydrant' },
      { id: 'lamp', title: 'Street lamp' },
      { id: 'carpet', title: 'Carpet' },
    ]);
    const names = async (query: string) => (await searchWords([street], query)).hits.map(({ id }) => id);
    expect(await names('hydrants')).toEqual(['hydrant']);
    expect(await names('streetlamp')).toEqual(['lamp']);
    expect(await names('pet')).toEqual([]);
  });

  test('finds what is defined by a word after what has it, but before that if it has more words of the query', async () => {
    const town = new WordLibrary([
      { id: 'ambulance', title: 'Ambulance' },
      { id: 'clinic', title: 'Clinic', description: 'A small hospital.' },
      { id: 'bus', title: 'Bus' },
    ]);
    const names = async (query: string) => (await searchWords([town], query)).hits.map(({ id }) => id);
    expect(await names('hospital')).toEqual(['clinic', 'ambulance']);
    expect(await names('vehicle for a hospital')).toEqual(['ambulance', 'clinic', 'bus']);
  });

  test('knows what robots and devices are by the names that makers give them', async () => {
    const robots = new WordLibrary([
      { id: 'anymal_c', title: 'ANYmal C' },
      { id: 'spot', title: 'Boston Dynamics Spot' },
      { id: 'spot_light', title: 'Spot light' },
      { id: 'iiwa', title: 'KUKA LBR iiwa 14' },
      { id: 'd435i', title: 'RealSense D435i' },
    ]);
    const names = async (query: string) => (await searchWords([robots], query)).hits.map(({ id }) => id);
    expect(await names('quadruped')).toEqual(['anymal_c', 'spot']);
    expect(await names('cobot')).toEqual(['iiwa']);
    expect(await names('depth camera')).toEqual(['d435i']);
  });

  test('gives no weight to what most descriptions of a library share', async () => {
    const names = ['Arm', 'Hand', 'Drone', 'Dog', 'Rover'];
    const robots = names.map((title) => ({
      id: title,
      title,
      description: `This package contains a simplified model of the ${title} by Acme.`,
    }));
    const box = { id: 'box', title: 'Box', description: 'A package to carry.' };
    const shared = new WordLibrary([...robots, box]);
    expect((await searchWords([shared], 'package')).hits.map(({ id }) => id)).toEqual(['box']);
    expect((await searchWords([shared], 'acme')).hits).toHaveLength(5);
    const few = new WordLibrary([...robots.slice(0, 2), box]);
    expect((await searchWords([few], 'package')).hits).toHaveLength(3);
  });

  test('keeps a description that is the same for most assets as a whole', async () => {
    const chairs = Array.from({ length: 6 }, (_, at) => ({
      id: `chair-${at}`,
      title: `No. ${at}`,
      description: 'A wooden chair for an office.',
    }));
    expect((await searchWords([new WordLibrary(chairs)], 'wooden')).hits).toHaveLength(6);
  });

  test('does not correct a short word to one with another first letter', async () => {
    const things = new WordLibrary([{ id: 'ball', title: 'Round ball' }]);
    expect((await searchWords([things], 'ground')).hits).toEqual([]);
    expect((await searchWords([things], 'rouns')).hits[0]?.id).toBe('ball');
  });

  test('gives rare words more weight than frequent ones', async () => {
    const many = new WordLibrary([
      ...Array.from({ length: 30 }, (_, at) => ({ id: `robot-${at}`, title: `Robot ${at}` })),
      { id: 'wombat', title: 'Wombat' },
    ]);
    expect((await searchWords([many], 'robot wombat')).hits[0]?.id).toBe('wombat');
  });

  test('gives assets the same scores in two libraries as in one', async () => {
    const [one, other] = [
      { id: 'a', title: 'Red mug' },
      { id: 'b', title: 'Blue mug', tags: ['red'] },
    ];
    const together = await searchWords([new WordLibrary([one, other])], 'red mug');
    const apart = await searchWords([new WordLibrary([one]), new WordLibrary([other])], 'red mug');
    expect(apart.hits).toEqual(together.hits);
  });
});

const WORDS = [
  'arm',
  'arms',
  'hand',
  'robot',
  'robots',
  'grip',
  'gripper',
  '2f',
  '85',
  'mug',
  'cup',
  'drone',
  'uav',
];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' '));
const documents = (prefix: string) =>
  fc
    .array(fc.record({ title: text, description: text, tags: fc.array(text, { maxLength: 2 }) }), {
      maxLength: 12,
    })
    .map((assets) => assets.map((asset, at) => ({ ...asset, id: `${prefix}${at}` })));

describe('for any assets', () => {
  test('adding an asset without any word of the query removes no hit', async () => {
    await fc.assert(
      fc.asyncProperty(documents('a'), text, async (assets, query) => {
        const before = await searchWords([new WordLibrary(assets)], query);
        const stranger = { id: 'zzz', title: 'Xylophone', kind: 'qqq' };
        const after = await searchWords([new WordLibrary([...assets, stranger])], query);
        const ids = new Set(after.hits.map(({ id }) => id));
        expect(before.hits.filter(({ id }) => !ids.has(id))).toEqual([]);
      }),
    );
  });

  test('every score is above 0 and at most 3', async () => {
    await fc.assert(
      fc.asyncProperty(documents('a'), text, async (assets, query) => {
        const { hits } = await searchWords([new WordLibrary(assets)], query);
        for (const { score } of hits) expect(score > 0 && score <= 3).toBe(true);
      }),
    );
  });

  test('splitting them between two libraries changes neither hits nor scores', async () => {
    const query = fc.oneof(text, fc.constantFrom('grpper', 'rob', 'armz hand', '2f8'));
    await fc.assert(
      fc.asyncProperty(documents('a'), documents('b'), query, async (one, other, asked) => {
        const byId = ({ hits }: WordSearchResult) => hits.toSorted((a, b) => (a.id < b.id ? -1 : 1));
        const apart = await searchWords([new WordLibrary(one), new WordLibrary(other)], asked);
        const together = await searchWords([new WordLibrary([...one, ...other])], asked);
        expect(byId(apart)).toEqual(byId(together));
      }),
    );
  });

  test('any text can be searched for without an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 500 }), async (query) => {
        await searchWords([library], query);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a query', () => {
  test('is parsed into words, phrases and exclusions', () => {
    expect(parseQuery('"robot hand" -left -"soft toy" 2f-85 "open')).toEqual({
      words: ['robot', 'hand', '2f', '85', 'open'],
      phrases: [['robot', 'hand']],
      excluded: [['left'], ['soft', 'toy']],
      text: 'robot hand 2f-85 "open',
      english: null,
      typed: new Map(),
      isDescription: false,
      endsInWord: true,
    });
  });

  test.each([
    ['机械臂', ['robot', 'arm']],
    ['红色的机械臂', ['robot', 'arm']],
    ['стул', ['chair']],
    ['una silla azulada', ['chair', 'azulada']],
    ['Roboterhund', ['quadruped', 'robot']],
    ['robot dog racking', ['robot', 'dog', 'racking']],
    ['RGB-D cam', ['rgb', 'd', 'cam']],
    ['谢谢', ['谢谢']],
  ])('%j is searched in English where it names things in another language', (typed, words) => {
    expect(parseQuery(typed).words).toEqual(words);
  });

  test.each([
    ['keeps a camera steady', true],
    ['who sells bread', true],
    ['ferris wheel', false],
    ['the wheel', false],
    ['"head of" an ape', false],
    ['una silla de madera', false],
  ])('%j is a description: %s', (typed, isDescription) => {
    expect(parseQuery(typed).isDescription).toBe(isDescription);
  });

  test('is limited to 32 words', () => {
    expect(parseQuery(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ')).words).toHaveLength(32);
  });
});

test('words are runs of letters and digits in any script; Chinese is split into bigrams, names into parts', () => {
  expect(splitWords('Straße — ÅNGSTRÖM ﬁlet').map(({ word }) => word)).toEqual([
    'strasse',
    'angstrom',
    'filet',
  ]);
  expect(bigrams('机器人v2')).toEqual(['机器', '器人', 'v2']);
  expect([...textWords('SO-ARM100')].sort()).toEqual(['100', 'arm', 'arm100', 'so', 'soarm100']);
});

test('synonym groups are read one per line, ignoring comments, letter case and inflection', () => {
  const synonyms = parseSynonyms('# of things\nMugs, cup # and more\nalone\n\nrobot dog, quadruped');
  expect([...synonyms.from(['mug'], 0)]).toEqual([{ length: 1, others: [['cup']] }]);
  expect([...synonyms.from(['the', 'robot', 'dog'], 1)]).toEqual([{ length: 2, others: [['quadrup']] }]);
  expect([...synonyms.from(['alon'], 0)]).toEqual([]);
});

test('edit distance is symmetric, counts a swap as one edit, and stops just above its limit', () => {
  expect(editDistance('gripper', 'grpper', 2)).toBe(1);
  expect(editDistance('chair', 'chiar', 2)).toBe(1);
  expect(editDistance('arm', 'robot', 2)).toBe(3);
  fc.assert(
    fc.property(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }), (one, other) => {
      expect(editDistance(one, other, 9)).toBe(editDistance(other, one, 9));
      expect(editDistance(one, other, 9) === 0).toBe(one === other);
    }),
  );
});
