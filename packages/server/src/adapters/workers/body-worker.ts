import { withTransferList } from '@bindery/concurrency/worker';
import { allRoutes, type ErrorCode } from '@bindery/contract';
import { doorBodies } from '../../doors/bodies.ts';
import { ServiceError } from '../../errors.ts';
import { type BodyFormat, parseBody, type WithBody } from '../../http/body.ts';
import { type PackedList, packList } from '../../process/packed-list.ts';

export interface BodyTask {
  method: string;
  path: string;
  bytes: Uint8Array;
  format: BodyFormat;
}

export type BodyOutcome =
  | BodyRead
  | { kind: 'refused'; code: ErrorCode; message: string; details: Readonly<Record<string, unknown>> };

interface BodyRead {
  kind: 'read';
  value: unknown;
  /** The members that were taken out of `value`. */
  lists: PackedMember[];
}

export interface PackedMember {
  name: string;
  packed: PackedList<unknown>;
}

/** Lists longer than this are packed. */
const LONG = 1_000;

export default function readBodyOf(task: BodyTask): BodyOutcome {
  const outcome = read(task);
  const pieces = outcome.kind === 'read' ? outcome.lists.flatMap(({ packed }) => packed) : [];
  return withTransferList(
    outcome,
    pieces.map(({ buffer }) => buffer),
  );
}

const known: readonly WithBody[] = [...allRoutes, ...Object.values(doorBodies)];

function read({ method, path, bytes, format }: BodyTask): BodyOutcome {
  const route = known.find((one) => one.method === method && one.path === path);
  if (!route) throw new Error(`There is no route ${method} ${path}.`);
  try {
    return withoutLongLists(parseBody(route.body, bytes, format));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details } = error;
    return { kind: 'refused', code, message, details };
  }
}

function withoutLongLists(value: unknown): BodyOutcome {
  const lists: PackedMember[] = [];
  if (typeof value !== 'object' || value === null) return { kind: 'read', value, lists };
  const rest: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(member) && member.length > LONG) lists.push({ name, packed: packList(member) });
    else rest[name] = member;
  }
  return { kind: 'read', value: rest, lists };
}
