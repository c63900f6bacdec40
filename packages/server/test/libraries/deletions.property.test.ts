import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { type Guard, lostIn, Model, namedIn, type Process } from './deletion-model.ts';

type Action =
  | { kind: 'register'; contents: string[] }
  | { kind: 'askPresent' | 'putLate' | 'rebuildIndex'; content: string }
  | { kind: 'reclaim' | 'release' | 'unrelease' | 'restoreInterrupted' | 'expireLeases' };

const content = fc.constantFrom('a', 'b', 'c');
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('register' as const),
      contents: fc.uniqueArray(content, { minLength: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reclaim' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('askPresent' as const, 'putLate' as const, 'rebuildIndex' as const),
      content,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('unrelease' as const, 'restoreInterrupted' as const, 'expireLeases' as const),
    }),
  },
);

/** Who takes the next steps and how many, and whether it stops for good after them. */
const turn = fc.record({
  who: fc.nat(),
  steps: fc.integer({ min: 1, max: 12 }),
  crashes: fc.nat(19).map((n) => n === 0),
});

const run = fc.record({
  actions: fc.array(action, { minLength: 2, maxLength: 8 }),
  turns: fc.array(turn, { minLength: 4, maxLength: 60 }),
});

function processOf(model: Model, wanted: Action): Process {
  switch (wanted.kind) {
    case 'register':
      return model.register(wanted.contents);
    case 'askPresent':
    case 'putLate':
    case 'rebuildIndex':
      return model[wanted.kind](wanted.content);
    default:
      return model[wanted.kind]();
  }
}

const toEnd = (process: Process) => [...process];

/** Lets everybody take steps in the order of the turns, and those who did not stop go on to the end. */
function play(
  model: Model,
  { actions, turns }: typeof run extends fc.Arbitrary<infer Run> ? Run : never,
): void {
  const waiting = [...actions];
  const running: Process[] = [];
  const start = () => {
    const next = waiting.shift();
    if (next) running.push(processOf(model, next));
  };
  start();
  for (const { who, steps, crashes } of turns) {
    if (who % 3 === 0 || running.length === 0) start();
    if (running.length === 0) break;
    const at = who % running.length;
    let ended = false;
    for (let step = 0; step < steps && !ended; step++) {
      ended = running[at]?.next().done ?? true;
      expectNothingLost(model);
    }
    if (ended || crashes) running.splice(at, 1);
  }
  for (const process of running) toEnd(process);
  expectNothingLost(model);
}

function expectNothingLost(model: Model): void {
  const lost = lostIn(model.world);
  if (lost.length > 0) throw new Error(`lost ${lost.join(', ')}`);
}

const keepsEverything = (without: Guard | null) =>
  fc.property(run, (played) => {
    const model = new Model(without);
    play(model, played);
    // Whoever stopped for good may have left something out of sight, and nothing else.
    toEnd(model.restoreInterrupted());
    const missing = [...namedIn(model.world)].filter((one) => !model.world.objects.has(one));
    if (missing.length > 0) throw new Error(`missing ${missing.join(', ')}`);
    toEnd(model.expireLeases());
    toEnd(model.reclaim());
    if (model.world.rows.size > 0 || model.world.withdrawn.size > 0) throw new Error('something is left');
    expect([...model.world.objects].sort()).toEqual([...namedIn(model.world)].sort());
  });

describe('publishing, releasing and deleting in any order, with crashes in between', () => {
  test('loses no object that is needed, and leaves no others in the end', () => {
    fc.assert(keepsEverything(null), { numRuns: rounds({ short: 20_000, long: 5_000_000 }) });
  });

  // Some orders are rare: each seed comes upon one soon.
  test.each<[Guard, number]>([
    ['a register compares the number of deletions', 1],
    ['a register finishes deletions first', 2],
    ['a deletion that changes hands is counted again', 3],
    ['a register spares what is pending', 1],
    ['a deletion is confirmed', 4],
    ['marks hold for one revision', 1],
    ['marks hold for the same releases', 8],
    ['a reclaim keeps what releases name', 1],
    ['a release names what is current in the step that makes it', 4],
    ['a lease is asked for first', 7],
  ])('loses or leaves objects unless %s', (guard, seed) => {
    const { failed } = fc.check(keepsEverything(guard), { seed, numRuns: 200_000, endOnFailure: true });
    expect(failed).toBe(true);
  });
});
