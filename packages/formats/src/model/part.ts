import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Mechanism, Shape } from './mechanism.ts';

const MAX_NAMED = 10;

/**
 * What a model shows of a part of it: a body with all that hangs on it or, if no body has this name, its shapes and
 * meshes that do. @throws Unrenderable, which names parts that there are
 */
export function partOf(mechanism: Mechanism, name: string): Mechanism {
  const { bodies } = mechanism;
  const hanging = new Set<string>();
  for (const { name: own, parent } of bodies)
    if (own === name || (parent !== undefined && hanging.has(parent))) hanging.add(own);
  const isNamed = (shape: Shape) => namesOf(shape).includes(name);
  const isShown = hanging.size > 0 ? () => false : isNamed;
  if (hanging.size === 0 && !bodies.some(({ shapes }) => shapes.some(isNamed)))
    throw new Unrenderable(`it has no part ${toMessageText(name)}${others(mechanism, name)}`);
  return {
    ...mechanism,
    bodies: bodies.map((body) =>
      hanging.has(body.name) ? body : { ...body, shapes: body.shapes.filter(isShown) },
    ),
  };
}

function namesOf({ name, form }: Shape): string[] {
  return form.type === 'mesh' ? [form.name, name] : [name];
}

/** Of a robot the bodies, of anything else the shapes; those with names like the one that was asked for come first. */
function others({ bodies }: Mechanism, asked: string): string {
  const named =
    bodies.length > 1
      ? bodies.map(({ name }) => name)
      : bodies.flatMap(({ shapes }) => shapes.flatMap(namesOf));
  const names = [...new Set(named)].filter((name) => name !== '');
  const isLike = (name: string) => Number(name.toLowerCase().includes(asked.toLowerCase()));
  const shown = names.toSorted((a, b) => isLike(b) - isLike(a)).slice(0, MAX_NAMED);
  if (shown.length === 0) return '';
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `; it has ${shown.map(toMessageText).join(', ')}${more}`;
}
