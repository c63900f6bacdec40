/** A choice among keyframes, animations, variants or axes. It is made by the user, or by a link to a view. */
export class Choice {
  readonly label: string;
  readonly options: readonly string[];
  readonly #choose: (option: number) => void;
  readonly #listeners = new Set<() => void>();
  #chosen: number;

  constructor(
    label: string,
    options: readonly string[],
    choose: (option: number) => void,
    chosen: number = 0,
  ) {
    this.label = label;
    this.options = options;
    this.#choose = choose;
    this.#chosen = chosen;
  }

  /** An index of `options`. */
  get chosen(): number {
    return this.#chosen;
  }

  choose(option: number): void {
    if (this.options[option] === undefined) return;
    this.#chosen = option;
    this.#choose(option);
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
