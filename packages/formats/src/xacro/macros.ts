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

/** What a definition calls a parameter, and whether it has a value. */
const NAME = /\s*([^\s:=]+)(\s*:?=\s*(\^\|?)?)?/y;
/** A value: it has blanks within expressions and quotation marks. */
const STANDARD = /(?:\$\{[^}]*(?:\}|$)|\$\([^)]*(?:\)|$)|\$(?![{(])|'[^']*'|"[^"]*"|[^\s'"$])*/y;

/** Reads the definition of a macro. Throws `MacroError` for an invalid name. */
export function macroOf({ attributes, ...body }: MacroElement): Macro {
  const name = (attributes.name ?? '').replace(/^xacro:/, '');
  if (name === '' || name === 'call' || name.includes('.'))
    throw new MacroError(`"${name}" cannot be the name of a macro`);
  return { name, body: { ...body, attributes: {} }, parameters: parametersOf(attributes.params ?? '') };
}

function parametersOf(written: string): Parameter[] {
  const parameters: Parameter[] = [];
  NAME.lastIndex = 0;
  for (let found = NAME.exec(written); found !== null; found = NAME.exec(written)) {
    const [, name = '', assigned, forwarded] = found;
    STANDARD.lastIndex = NAME.lastIndex;
    const standard = assigned === undefined ? null : STANDARD.exec(written)?.[0] || null;
    NAME.lastIndex += standard?.length ?? 0;
    if (written.charAt(NAME.lastIndex).trim() !== '')
      throw new MacroError(`the value of the parameter "${name}" does not end`);
    const block = name.startsWith('**') ? '**' : name.startsWith('*') ? '*' : '';
    parameters.push({
      name: name.slice(block.length),
      block,
      isForwarded: forwarded !== undefined,
      standard,
    });
  }
  return parameters;
}
