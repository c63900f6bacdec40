import { expect, test } from 'vitest';
import { ResourceStack } from '../../src/process/resource-stack.ts';

function open(...names: string[]) {
  const [opened, closed]: [ResourceStack, string[]] = [new ResourceStack(), []];
  for (const name of names) {
    opened.defer(() => {
      closed.push(name);
      if (name === 'broken') throw new Error(name);
    });
  }
  return { opened, closed };
}

test('opened resources are closed only once, in reverse order', async () => {
  const { opened, closed } = open('folder', 'database');
  await opened.disposeAsync();
  await opened.disposeAsync();
  expect(closed).toEqual(['database', 'folder']);
});

test('an error while closing is thrown after all other resources are closed', async () => {
  const { opened, closed } = open('folder', 'broken', 'service');
  await expect(opened.disposeAsync()).rejects.toThrow('broken');
  expect(closed).toEqual(['service', 'broken', 'folder']);
});

test('resources that were moved stay open until their new owner closes them', async () => {
  const { opened, closed } = open('folder');
  const moved = opened.move();
  await opened.disposeAsync();
  expect(closed).toEqual([]);
  await moved.disposeAsync();
  expect(closed).toEqual(['folder']);
});
