/** Names that nothing else has, not even in other letters, so that they can be those of files. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  unique(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++) name = `${wanted}_${number}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }

  /** A name for a file in any folder. */
  uniqueFile(wanted: string): string {
    return this.unique(wanted.replace(/[^\w.-]+/g, '_').replace(/^[.-]+/, '') || 'mesh');
  }
}
