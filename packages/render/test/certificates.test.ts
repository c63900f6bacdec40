import { expect, test } from 'vitest';
import { memoryFiles } from '../../formats/src/reading/asset-files.ts';
import { certifyAsset } from '../src/certify-asset.ts';
import { type CertifiedModel, FAULTY, SOUND } from './models/certified.ts';

/** Notes, which accuse nobody. */
const NOTES: ReadonlySet<string> = new Set(['nothing-below']);

async function problemsOf({ kind, text }: CertifiedModel) {
  const entry = kind === 'mjcf' ? 'robot.xml' : `robot.${kind}`;
  const files = memoryFiles(new Map([[entry, new TextEncoder().encode(text)]]));
  const { certification } = await certifyAsset({ kind, format: undefined, entry, files });
  return certification.problems;
}

test.each(FAULTY)('$what is found as $code', async (model) => {
  const messages = (await problemsOf(model)).map(({ code, message }) => `${code}: ${message}`);
  expect(messages.filter((message) => message.startsWith(`${model.code}:`)).join('\n')).toMatch(model.says);
});

test.each(SOUND)('$what is not accused', async (model) => {
  expect((await problemsOf(model)).filter(({ code }) => !NOTES.has(code))).toEqual([]);
});
