import { expect, test } from 'vitest';
import { compileMjcf, validateGltf } from '../src/index.ts';

function files(contents: Record<string, string>): Map<string, Uint8Array> {
  return new Map(Object.entries(contents).map(([path, text]) => [path, new TextEncoder().encode(text)]));
}

test('MuJoCo compiles a model with what it includes, or says why not', async () => {
  const body = '<worldbody><body name="b"><geom size="1"/></body></worldbody>';
  const model = {
    'arm/a.xml': `<mujoco><include file="b.xml"/></mujoco>`,
    'arm/b.xml': `<mujoco>${body}</mujoco>`,
  };
  expect(await compileMjcf('arm/a.xml', files(model))).toBeNull();
  expect(await compileMjcf('arm/a.xml', files({ 'arm/a.xml': '<mujoco><bodies/></mujoco>' }))).toContain(
    'bodies',
  );
  expect(await compileMjcf('arm/a.xml', files(model))).toBeNull();
});

test('the glTF validator reads what a document refers to, and names errors with their places', async () => {
  const document = (byteLength: number) =>
    JSON.stringify({ asset: { version: '2.0' }, buffers: [{ uri: 'the%20data.bin', byteLength }] });
  expect(
    await validateGltf('a/a.gltf', files({ 'a/a.gltf': document(4), 'a/the data.bin': '1234' })),
  ).toEqual([]);
  expect(
    await validateGltf('a/a.gltf', files({ 'a/a.gltf': document(8), 'a/the data.bin': '1234' })),
  ).toEqual([{ severity: 'error', message: expect.stringContaining('/buffers/0') }]);
});
