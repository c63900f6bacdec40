import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bigrams, splitWords } from '../../../src/revision/words/split.ts';
import { textWords } from '../../../src/revision/words/text-words.ts';
import { editDistance } from '../../../src/search/relevance/edit-distance.ts';
import { parseQuery } from '../../../src/search/relevance/parse-query.ts';
import { parseSynonyms } from '../../../src/search/relevance/synonyms.ts';
import { type FoundByWords, searchWords, WordedLibrary } from './worded.ts';

const library = new WordedLibrary([
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
    ['letters and digits typed in one', '2f85', 'robotiq_2f85'],
    ['letters and digits typed apart', '2f 85', 'robotiq_2f85'],
    ['a hyphen less', '6dof', 'ur5e'],
    ['words of names LikeThis', 'broken window', 'GlassBrokenWindow'],
    ['words typed in one', 'endeffector', 'robotiq_2f85'],
    ['words without their accents', 'cafe mobel', 'cafe'],
    ['words with accents that the text lacks', 'Skýdio', 'skydio_x2'],
    ['scripts without blanks', 'ロボット', 'robot-jp'],
    ['a single letter of such a script', '机', 'robot-jp'],
    ['synonyms', 'quadcopter', 'skydio_x2'],
    ['synonyms of several words', 'robot dog', 'anymal_c'],
    ['words that mean several', 'a manipulator', 'ur5e'],
    ['the beginning of the last word', 'grip', 'robotiq_2f85'],
    ['a letter left out', 'grpper', 'robotiq_2f85'],
    ['two letters swapped', 'pednulum', 'pendulum'],
    ['the first letter mistyped', 'fendulum', 'pendulum'],
  ])('meets %s (%s)', async (_, query, id) => {
    expect(await first(query)).toBe(id);
  });

  test('counts neither stop words nor single letters at the end', async () => {
    expect(await first('gripper with two fingers')).toBe('robotiq_2f85');
    expect(await found('with a the of')).toEqual([]);
    expect(await found('anymal c')).toEqual(['anymal_c']);
  });

  test('says which word a mistyped one was taken for, and only where the word itself is nowhere', async () => {
    expect((await searchWords([library], 'grpper')).corrections).toEqual(new Map([['grpper', 'gripper']]));
    expect((await searchWords([library], 'gripper')).corrections.size).toBe(0);
    expect((await searchWords([library], '2f86')).hits).toEqual([]);
  });

  test('takes no short word for one that begins with another letter', async () => {
    const things = new WordedLibrary([{ id: 'ball', title: 'Round ball' }]);
    expect((await searchWords([things], 'ground')).hits).toEqual([]);
    expect((await searchWords([things], 'rouns')).hits[0]?.id).toBe('ball');
  });

  test('gives rare words more weight than frequent ones', async () => {
    const many = new WordedLibrary([
      ...Array.from({ length: 30 }, (_, at) => ({ id: `robot-${at}`, title: `Robot ${at}` })),
      { id: 'wombat', title: 'Wombat' },
    ]);
    expect((await searchWords([many], 'robot wombat')).hits[0]?.id).toBe('wombat');
  });

  test('scores alike in one library and in two', async () => {
    const [one, other] = [
      { id: 'a', title: 'Red mug' },
      { id: 'b', title: 'Blue mug', tags: ['red'] },
    ];
    const together = await searchWords([new WordedLibrary([one, other])], 'red mug');
    const apart = await searchWords([new WordedLibrary([one]), new WordedLibrary([other])], 'red mug');
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
  test('one that has no word of the query takes no hit away', async () => {
    await fc.assert(
      fc.asyncProperty(documents('a'), text, async (assets, query) => {
        const before = await searchWords([new WordedLibrary(assets)], query);
        const stranger = { id: 'zzz', title: 'Xylophone', kind: 'qqq' };
        const after = await searchWords([new WordedLibrary([...assets, stranger])], query);
        const ids = new Set(after.hits.map(({ id }) => id));
        expect(before.hits.filter(({ id }) => !ids.has(id))).toEqual([]);
      }),
    );
  });

  test('every score is above 0 and at most 2', async () => {
    await fc.assert(
      fc.asyncProperty(documents('a'), text, async (assets, query) => {
        const { hits } = await searchWords([new WordedLibrary(assets)], query);
        for (const { score } of hits) expect(score > 0 && score <= 2).toBe(true);
      }),
    );
  });

  test('those of several libraries score as they do in one', async () => {
    const query = fc.oneof(text, fc.constantFrom('grpper', 'rob', 'armz hand', '2f8'));
    await fc.assert(
      fc.asyncProperty(documents('a'), documents('b'), query, async (one, other, asked) => {
        const byId = ({ hits }: FoundByWords) => hits.toSorted((a, b) => (a.id < b.id ? -1 : 1));
        const apart = await searchWords([new WordedLibrary(one), new WordedLibrary(other)], asked);
        const together = await searchWords([new WordedLibrary([...one, ...other])], asked);
        expect(byId(apart)).toEqual(byId(together));
      }),
    );
  });

  test('any text is a query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 500 }), async (query) => {
        await searchWords([library], query);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a query', () => {
  test('has phrases and exclusions', () => {
    expect(parseQuery('"robot hand" -left -"soft toy" 2f-85 "open')).toEqual({
      words: ['robot', 'hand', '2f', '85', 'open'],
      phrases: [['robot', 'hand']],
      excluded: [['left'], ['soft', 'toy']],
      text: 'robot hand 2f-85 "open',
      endsInWord: true,
    });
  });

  test('counts no more than 32 words', () => {
    expect(parseQuery(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ')).words).toHaveLength(32);
  });
});

test('an index from before there was a table of its terms finds the same', async () => {
  const documents = ['arm', 'robot arm', 'hand'].map((title, at) => ({ id: `a${at}`, title }));
  const [now, before] = [new WordedLibrary(documents), new WordedLibrary(documents, { table: false })];
  const found = await searchWords([now], 'robot arms');
  expect(found.hits).toHaveLength(2);
  expect(await searchWords([before], 'robot arms')).toEqual(found);
});

test('words are runs of letters and digits of any script', () => {
  expect(splitWords('Straße — ÅNGSTRÖM ﬁlet').map(({ word }) => word)).toEqual([
    'strasse',
    'angstrom',
    'filet',
  ]);
  expect(bigrams('机器人v2')).toEqual(['机器', '器人', 'v2']);
  expect([...textWords('SO-ARM100')].sort()).toEqual(['100', 'arm', 'arm100', 'so', 'soarm100']);
});

test('synonyms are groups by line, with comments, in any case and inflection', () => {
  const synonyms = parseSynonyms('# of things\nMugs, cup # and more\nalone\n\nrobot dog, quadruped');
  expect([...synonyms.from(['mug'], 0)]).toEqual([{ length: 1, others: [['cup']] }]);
  expect([...synonyms.from(['the', 'robot', 'dog'], 1)]).toEqual([{ length: 2, others: [['quadrup']] }]);
  expect([...synonyms.from(['alon'], 0)]).toEqual([]);
});

test('edits are counted as far as they are wanted', () => {
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
