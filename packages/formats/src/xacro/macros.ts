import type { MacroElement } from './document.ts';
import { MacroError } from './values.ts';

/** A macro as it was defined. */
export interface Macro {
  readonly name: string;
  readonly body: MacroElement;
  readonly parameters: readonly Parameter[];
}

export interface Parameter {
  readonly name: string;
  /** How many elements of a call it stands for: none, one, or the content of one. */
  readonly block: '' | '*' | '**';
  /** Whether a property of the caller with the same name is its default. */
  readonly isForwarded: boolean;
  readonly standard: string | null;
}

const PARAMETER =
  /^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?((?:\$\{.*?\}|\$\(.*?\)|'[^']*'|"[^"]*"|[^\s'"])*)(?:\s+|$)/;

/** Reads the definition of a macro. Throws `MacroError` for an invalid name. */
export function macroOf({ attributes, ...body }: MacroElement): Macro {
  const name = (attributes.name ?? '').replace(/^xacro:/, '');
  if (name === '' || name === 'call' || name.includes('.'))
    throw new MacroError(`"${name}" cannot be the name of a macro`);
  return { name, body: { ...body, attributes: {} }, parameters: parametersOf(attributes.params ?? '') };
}

function parametersOf(written: string): Parameter[] {
  const parameters: Parameter[] = [];
  let rest = written.trim();
  while (rest !== '') {
    const found = PARAMETER.exec(rest);
    const word = found?.[0] ?? /^\S+\s*/.exec(rest)?.[0] ?? rest;
    rest = rest.slice(word.length).trimStart();
    const name = found?.[1] ?? word.trim();
    const block = name.startsWith('**') ? '**' : name.startsWith('*') ? '*' : '';
    parameters.push({
      name: name.slice(block.length),
      block,
      isForwarded: found?.[2] !== undefined,
      standard: found?.[3] ? found[3] : null,
    });
  }
  return parameters;
}
