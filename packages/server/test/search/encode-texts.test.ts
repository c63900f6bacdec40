import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { MODEL, vectorOf } from './embeddings.ts';
import { ScriptedEncoder } from './scripted-encoder.ts';

interface Answer {
  model: string | null;
  vectors: string[];
  error?: string;
}

let service: TestService;
let encoder: ScriptedEncoder;

beforeAll(async () => {
  encoder = new ScriptedEncoder();
  service = await startService({ encoder });
});
beforeEach(() => {
  encoder.model = MODEL;
  encoder.facts = { version: '1', dim: 768, encodesImages: true };
  encoder.vectors.clear();
});
afterAll(() => service.close());

const encode = async (texts: string[], as = 'ada') =>
  (await service.member(as)).post<Answer>('/search/vectors', { texts });

test('Ada has texts encoded by the model of the service, in their order', async () => {
  encoder.vectors.set('a mug', vectorOf(0.25)).set('an arm', vectorOf(0.5));
  const { status, body } = await encode(['an arm', 'a mug']);
  expect(status).toBe(200);
  expect(body.model).toBe(MODEL);
  const numbers = body.vectors.map((vector) => Buffer.from(vector, 'base64').readFloatLE(0));
  expect(numbers).toEqual([0.5, 0.25]);
  expect(Buffer.from(body.vectors[0] ?? '', 'base64')).toHaveLength(768 * 4);
});

test('a service without a model says so', async () => {
  encoder.model = null;
  expect((await encode(['a mug'])).body).toEqual({ model: null, vectors: [] });
});

test('a model whose vectors have another size than those of libraries is none for clients', async () => {
  encoder.facts = { version: '1', dim: 384, encodesImages: false };
  encoder.vectors.set('a mug', vectorOf(0.25));
  expect((await encode(['a mug'])).body).toEqual({ model: null, vectors: [] });
});

test('a model that fails leaves it to be tried again', async () => {
  const { status, body } = await encode(['never heard of']);
  expect([status, body.error]).toEqual([503, 'unavailable']);
});

test('nobody has texts encoded without signing in', async () => {
  expect((await service.anonymous.post('/search/vectors', { texts: ['a mug'] })).status).toBe(401);
});

test.each([[[]], [['']], [Array(33).fill('a')], [['a'.repeat(4_001)]]])(
  'too little and too much is refused, as the case may be (%#)',
  async (texts) => {
    expect((await encode(texts)).status).toBe(400);
  },
);
