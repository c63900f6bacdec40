import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTerminalUser } from '../../cli/test/command-line.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { startAgent } from './agent.ts';
import { describeCatalogTools } from './tools-suite.ts';

describe('over stdio', () => {
  describeCatalogTools(() => (actor, era) => startAgent(actor, { era }));
});

describe('the stdio server process', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('writes only protocol messages to stdout, refuses lines that are none or too long, and exits when stdin closes', async () => {
    const person = await createTerminalUser(service.url);
    const child = person.start('mcp');
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      'no message at all',
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_libraries', arguments: {} } },
    ];
    for (const message of messages) child.stdin?.write(`${JSON.stringify(message)}\n`);
    child.stdin?.write('{"jsonrpc": \n');
    child.stdin?.write(`${'x'.repeat(11 * 1024 * 1024)}\n`);
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list' })}\n`);
    await expect.poll(() => stdout).toContain('"id":2');
    await expect.poll(() => stdout).toContain('"id":3');
    child.stdin?.end();
    expect(await once(child, 'close')).toEqual([0, null]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null; error?: { code: number } });
    expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    const refusals = answers.filter(({ id }) => id === null).map(({ error }) => error?.code);
    expect(refusals).toEqual([-32600, -32700, -32600]);
    await person.dispose();
  });
});
