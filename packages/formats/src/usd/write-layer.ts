/** A prim to write. Metadata and properties are lines of a layer in text. */
export interface Prim {
  /** `class`: it and what is below it are only referred to. */
  readonly specifier?: 'def' | 'class';
  readonly type: string;
  readonly name: string;
  readonly metadata?: readonly (string | undefined)[];
  readonly properties?: readonly (string | undefined)[];
  readonly children?: readonly (Prim | undefined)[];
}

/** A layer in text with Z up, metres and kilograms, of one prim. `simReady`: lines of what SimReady knows of it. */
export function usdLayer(root: Prim, simReady: readonly string[]): Uint8Array {
  const lines = [
    '#usda 1.0',
    '(',
    `    customLayerData = { dictionary SimReady_Metadata = { ${simReady.join('; ')} } }`,
    `    defaultPrim = "${root.name}"`,
    '    kilogramsPerUnit = 1',
    '    metersPerUnit = 1',
    '    upAxis = "Z"',
    ')',
    '',
  ];
  write(root, '', lines);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

function write({ specifier = 'def', type, name, ...inside }: Prim, indent: string, lines: string[]): void {
  const present = <T>(items: readonly (T | undefined)[] = []) => items.filter((item) => item !== undefined);
  const metadata = present(inside.metadata);
  const head = `${indent}${specifier} ${type} "${name}"`;
  if (metadata.length === 0) lines.push(head);
  else lines.push(`${head} (`, ...metadata.map((line) => `${indent}    ${line}`), `${indent})`);
  lines.push(`${indent}{`);
  for (const line of present(inside.properties)) lines.push(`${indent}    ${line}`);
  for (const child of present(inside.children)) write(child, `${indent}    `, lines);
  lines.push(`${indent}}`);
}

export function schemas(...names: readonly (string | undefined | false)[]): string | undefined {
  const applied = names.filter(Boolean).map((name) => `"${name}"`);
  return applied.length === 0 ? undefined : `prepend apiSchemas = [${applied.join(', ')}]`;
}

/** A number as USD reads it, with the digits that make the same one. */
export function number(value: number): string {
  return Number.isFinite(value) ? String(value + 0) : value > 0 ? 'inf' : '-inf';
}

export function tuple(values: readonly number[]): string {
  return `(${values.map(number).join(', ')})`;
}

/** Rows of an array of 32-bit numbers. */
export function rows(values: Float32Array, width: 2 | 3): string {
  const out: string[] = [];
  const digits = (at: number) => (values[at] as number).toPrecision(9);
  for (let at = 0; at < values.length; at += width)
    out.push(
      width === 2
        ? `(${digits(at)}, ${digits(at + 1)})`
        : `(${digits(at)}, ${digits(at + 1)}, ${digits(at + 2)})`,
    );
  return `[${out.join(', ')}]`;
}

export function text(value: string): string {
  const escaped = value.replace(/[\\"]/g, (character) => `\\${character}`).replace(/\p{Cc}/gu, ' ');
  return `"${escaped}"`;
}

/** Names for prims below one parent. */
export class PrimNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set(taken);
  }

  /** A name as USD allows it that no other prim has. */
  name(wanted: string): string {
    const allowed = wanted.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d|$)/, '_');
    let name = allowed;
    for (let number = 2; this.#taken.has(name); number++) name = `${allowed}_${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** The metadata of a prim that had to be named otherwise. */
export function displayName(name: string, wanted: string): string | undefined {
  return name === wanted ? undefined : `displayName = ${text(wanted)}`;
}

/** Metadata with lines that no schema of USD has. */
export function customData(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : `customData = { dictionary bindery = { ${lines.join('; ')} } }`;
}
