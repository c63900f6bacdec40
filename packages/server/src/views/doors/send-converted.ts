import { extname } from 'node:path/posix';
import { CONVERSION_FORMATS, LOSSES_HEADER } from '@bindery/contract';
import { LENGTH_UNITS, MATERIALS, type SimReady, simReadyProblem } from '@bindery/formats/model/sim-ready';
import type { FastifyReply } from 'fastify';
import type { Viewer } from '../../access/viewer.ts';
import { conversionOf } from '../../conversions/conversions.ts';
import { type DoorRevision, missingAtDoor } from '../../doors/revision.ts';
import { invalidParameter } from '../../errors.ts';
import { sendIfNotModified } from '../../http/entity-tags.ts';
import { sendArchive, sendAssetArchive } from './send-archive.ts';
import { setRevisionHeaders } from './send-file.ts';
import type { Exchange } from './viewer.ts';

/** Sends an asset in the format that the query names: as it is if it has it, else converted. */
export async function sendConverted(
  exchange: Exchange,
  viewer: Viewer,
  revision: DoorRevision,
  id: string,
  query = exchange.request.query as Readonly<Record<string, unknown>>,
): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const { row, index } = revision;
  const number = index.indexOfAsset(id);
  if (number < 0) throw missingAtDoor('asset', 'This revision has no asset of this name.');
  const as = CONVERSION_FORMATS.find((format) => format === query.as);
  if (as === undefined) throw invalidParameter('as', `Choose one of ${CONVERSION_FORMATS.join(', ')}.`);
  const simReady = simReadyOf(query);
  const { kind, format } = index.card(number);
  const isAsItIs = simReady === undefined;
  if (isAsItIs && (kind === as || (as === 'glb' && format === 'glb')))
    return sendAssetArchive(exchange, revision, { number, format: 'zip' });
  if (isAsItIs && kind === 'mjcf' && as === 'mjz')
    return sendAssetArchive(exchange, revision, { number, format: 'mjz' });
  const conversion = conversionOf(index, { row, number, as, simReady });
  const key = await context.conversions.keyOf(conversion);
  setRevisionHeaders(exchange, revision);
  if (sendIfNotModified(request, reply, `"${key}"`)) return reply;
  const { name, losses, sha256, ...file } = await context.conversions.read(conversion, viewer);
  if (losses.length > 0) reply.header(LOSSES_HEADER, losses.map(toHeaderText).join(', '));
  reply.header('repr-digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`);
  if (request.method === 'GET') context.useCounter.downloaded(row.store_id, [id]);
  const extension = extname(name);
  const fileName = extension === '.zip' ? `${id}-${as}.zip` : `${id}${extension}`;
  return sendArchive(exchange, file, fileName);
}

function toHeaderText(text: string): string {
  return text.replace(/[^\x20-\x7e]|,/g, '?').slice(0, 100);
}

/** Numbers that go with `sim-ready`. */
const NUMBERS = ['mass', 'density', 'height', 'thickness'] as const;

/** What a query says a mesh is to be made of; undefined if it is not to become a rigid body. Throws `invalid_parameter`. */
function simReadyOf(query: Readonly<Record<string, unknown>>): SimReady | undefined {
  if (query['sim-ready'] === undefined) {
    const alone = [...NUMBERS, 'material', 'unit'].find((name) => query[name] !== undefined);
    if (alone !== undefined) throw invalidParameter(alone, 'It goes with sim-ready.');
    return undefined;
  }
  const numbers = NUMBERS.map((name) => [name, numberIn(query, name)]);
  const asked: SimReady = {
    ...Object.fromEntries(numbers),
    material: oneIn(query, 'material', MATERIALS),
    unit: oneIn(query, 'unit', LENGTH_UNITS),
  };
  const problem = simReadyProblem(asked);
  if (problem !== undefined) throw invalidParameter(problem.option, sentence(problem.message));
  return asked;
}

function numberIn(query: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const number = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (number > 0 && number < Infinity) return number;
  throw invalidParameter(name, 'Give a number above 0, in metres, kilograms or kg/m³.');
}

function oneIn<Name extends string>(
  query: Readonly<Record<string, unknown>>,
  parameter: string,
  table: Readonly<Record<Name, unknown>>,
): Name | undefined {
  const text = query[parameter];
  const names = Object.keys(table) as Name[];
  const found = names.find((name) => name === text);
  if (text !== undefined && found === undefined)
    throw invalidParameter(parameter, `Choose one of ${names.join(', ')}.`);
  return found;
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
