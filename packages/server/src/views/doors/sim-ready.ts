import { LENGTH_UNITS, MATERIALS, type SimReady, simReadyProblem } from '@bindery/formats/model/sim-ready';
import { invalidParameter } from '../../errors.ts';

/** Numbers that go with `sim-ready`. */
const NUMBERS = ['mass', 'density', 'height', 'thickness'] as const;

/** What a query says a mesh is to be made of; undefined if it is not to become a rigid body. Throws `invalid_parameter`. */
export function simReadyOf(query: Readonly<Record<string, unknown>>): SimReady | undefined {
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
