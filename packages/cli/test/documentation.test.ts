import { expect, test } from 'vitest';
import { commandReference } from '../../../scripts/command-reference.ts';
import { commandEntries } from '../src/commands/index.ts';

test('the reference describes every command', async () => {
  const page = await commandReference();
  for (const { name, load } of commandEntries) {
    expect(page).toContain(`\n## ${name}\n`);
    const definition = await load();
    if (!('commands' in definition)) continue;
    for (const command of definition.commands) expect(page).toContain(`\n### ${name} ${command.name}\n`);
  }
});
