const [MINUS, POINT, ZERO] = [45, 46, 48];
/** More than one number takes. */
const MARGIN = 64;

/** Text in ASCII with many numbers, which strings would take several times as long for. */
export class AsciiText {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  text(text: string): this {
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at++) this.#bytes[this.#length++] = text.charCodeAt(at);
    return this;
  }

  /** A number with at most `decimals` digits after the point. */
  number(value: number, decimals: number): this {
    const scaled = Math.round(Math.abs(value) * 10 ** decimals);
    if (!Number.isSafeInteger(scaled)) return this.text(String(value));
    this.#reserve(MARGIN);
    if (value < 0 && scaled > 0) this.#bytes[this.#length++] = MINUS;
    const whole = Math.floor(scaled / 10 ** decimals);
    this.#digits(whole, 1);
    const rest = scaled - whole * 10 ** decimals;
    if (rest === 0) return this;
    this.#bytes[this.#length++] = POINT;
    this.#digits(rest, decimals);
    while (this.#bytes[this.#length - 1] === ZERO) this.#length--;
    return this;
  }

  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** The digits of an integer, with zeros in front up to a width. */
  #digits(integer: number, width: number): void {
    let end = this.#length;
    for (let left = integer, count = 0; left > 0 || count < width; left = Math.floor(left / 10), count++)
      end++;
    let left = integer;
    for (let at = end - 1; at >= this.#length; at--) {
      const above = Math.floor(left / 10);
      this.#bytes[at] = ZERO + left - above * 10;
      left = above;
    }
    this.#length = end;
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * (this.#bytes.length + length));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
