import sharp from 'sharp';
import { expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles, type RenderLimits } from '../src/index.ts';
import { mesh3mf, model3mf, threeMf } from './models/3mf.ts';

const TRIANGLE = mesh3mf([0, 0, 0, 1, 0, 0, 0, 1, 0], ['v1="0" v2="1" v3="2"']);

async function loaded(archive: Uint8Array, limits?: Partial<RenderLimits>) {
  const context = createRendererContext(memoryFiles(new Map([['a.3mf', archive]])), limits);
  return (await loadMesh('a.3mf', context)).instances;
}

/** Where the vertices of each instance are, to the micrometre. */
async function points(archive: Uint8Array): Promise<number[][]> {
  return (await loaded(archive)).map(({ geometry, transform }) =>
    [...transformPoints(transform, geometry.positions)].map((value) => Math.round(value * 1e6) / 1e6 + 0),
  );
}

test('items are placed in millimetres, or in the unit that the model states', async () => {
  const item = '<item objectid="1" transform="0 1 0 -1 0 0 0 0 1 5 0 0"/>';
  const object = `<object id="1">${TRIANGLE}</object>`;
  const placed = (unit?: string) => points(threeMf({ '3D/a.model': model3mf(object, item, unit) }));
  expect(await placed()).toEqual([[0.005, 0, 0, 0.005, 0.001, 0, 0.004, 0, 0]]);
  expect(await placed('inch')).toEqual([[0.127, 0, 0, 0.127, 0.0254, 0, 0.1016, 0, 0]]);
});

test('objects are put together of others, also of those in other parts of the package', async () => {
  const archive = threeMf({
    '_rels/.rels':
      '<Relationships><Relationship Type="http://a/3dmodel" Target="/3D/main.model"/></Relationships>',
    '3D/main.model': model3mf(
      `<object id="2"><components>
<component objectid="1" p:path="/3D/part.model"/>
<component objectid="1" p:path="/3D/part.model" transform="1 0 0 0 1 0 0 0 1 0 0 9"/>
</components></object>`,
      '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 0 0 1"/>',
    ),
    '3D/part.model': model3mf(`<object id="1">${TRIANGLE}</object>`, ''),
  });
  expect(await points(archive)).toEqual([
    [0, 0, 0.001, 0.001, 0, 0.001, 0, 0.001, 0.001],
    [0, 0, 0.01, 0.001, 0, 0.01, 0, 0.001, 0.01],
  ]);
});

test('triangles have base materials, colours of their corners, textures, or several of these', async () => {
  const png = new Uint8Array(
    await sharp({ create: { width: 1, height: 1, channels: 3, background: '#00f' } })
      .png()
      .toBuffer(),
  );
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0];
  const triangles = ['', 'pid="2" p1="0" p2="1" p3="0"', 'pid="4" p1="0" p2="1" p3="1"', 'pid="5" p1="1"'];
  const resources = `<basematerials id="1"><base displaycolor="#FFFFFF"/><base displaycolor="#FF0000"/></basematerials>
<m:colorgroup id="2"><m:color color="#000000"/><m:color color="#FF0000FF"/></m:colorgroup>
<m:texture2d id="3" path="/3D/blue.png" tilestyleu="clamp"/>
<m:texture2dgroup id="4" texid="3"><m:tex2coord u="0" v="0"/><m:tex2coord u="0.5" v="0.25"/></m:texture2dgroup>
<m:multiproperties id="5" pids="1 4"><m:multi pindices="0 0"/><m:multi pindices="0 1"/></m:multiproperties>
<object id="9" pid="1" pindex="1">${mesh3mf(
    corners,
    triangles.map((one) => `v1="0" v2="1" v3="2" ${one}`),
  )}</object>`;
  const [plain, colored, textured, ...others] = await loaded(
    threeMf({ '3D/a.model': model3mf(resources, '<item objectid="9"/>') }, { '3D/blue.png': png }),
  );
  expect(others).toEqual([]);
  expect(plain?.material.baseColor).toEqual([1, 0, 0, 1]);
  expect([...(colored?.geometry.colors ?? [])]).toEqual([0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]);
  expect([...(textured?.geometry.uvs ?? [])]).toEqual([
    0, 1, 0.5, 0.75, 0.5, 0.75, 0.5, 0.75, 0.5, 0.75, 0.5, 0.75,
  ]);
  expect(textured?.material.baseColorTexture).toMatchObject({ wrapU: 'clamp', wrapV: 'repeat' });
});

test('sizes of 64 bits in an archive that does not announce them are read', async () => {
  const archive = threeMf({ 'a.model': model3mf(`<object id="1">${TRIANGLE}</object>`, '') });
  const at = Buffer.from(archive).indexOf('PK\x01\x02');
  const wide = Buffer.alloc(20);
  wide.writeUInt16LE(1, 0);
  wide.writeUInt16LE(16, 2);
  const view = new DataView(archive.buffer, archive.byteOffset);
  wide.writeUInt32LE(view.getUint32(at + 24, true), 4);
  wide.writeUInt32LE(view.getUint32(at + 20, true), 12);
  const entry = Buffer.from(archive.subarray(at, at + 46));
  entry.fill(0xff, 20, 28);
  entry.writeUInt16LE(20, 30);
  const rest = archive.subarray(at + 46);
  const name = rest.subarray(0, 7);
  const out = Buffer.concat([archive.subarray(0, at), entry, name, wide, rest.subarray(7)]);
  expect(await loaded(new Uint8Array(out))).toHaveLength(1);
});

test('objects of themselves, and of too many others, are refused', async () => {
  const itself = '<object id="1"><components><component objectid="1"/></components></object>';
  await expect(loaded(threeMf({ 'a.model': model3mf(itself, '<item objectid="1"/>') }))).rejects.toThrow(
    'nested deeper than 100 levels',
  );
  const many = Array.from(
    { length: 30 },
    (_, at) =>
      `<object id="${at}"><components>${`<component objectid="${at + 1}"/>`.repeat(9)}</components></object>`,
  );
  const archive = threeMf({ 'a.model': model3mf(many.join(''), '<item objectid="0"/>') });
  await expect(loaded(archive, { nodes: 5_000 })).rejects.toThrow('more than 5000 nodes');
});
