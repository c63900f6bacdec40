const VERTICES = 100_000;
const FACES = 100_000;
/** What a face may name: the first vertices, which every file that has faces has. */
const NAMED_VERTICES = 50;
const SHARE_OF_VERTICES = 0.6;
const MAX_LINE = 34;

/** OBJ files and their materials as text, of sizes that are given, no two alike. */
export class ModelTexts {
  readonly #next: () => number;
  readonly #vertices: Buffer;
  readonly #faces: Buffer;

  /** @param next a number from 0 to 1 */
  constructor(next: () => number) {
    this.#next = next;
    const coordinate = () => (2 * next() - 1).toFixed(6);
    const vertex = () => 1 + Math.floor(next() * NAMED_VERTICES);
    this.#vertices = lines(VERTICES, () => `v ${coordinate()} ${coordinate()} ${coordinate()}\n`);
    this.#faces = lines(FACES, () => `f ${vertex()} ${vertex()} ${vertex()}\n`);
  }

  /** An OBJ file of so many bytes, or a few more where it is very small. */
  model(name: string, size: number): Buffer {
    const head = Buffer.from(`mtllib materials.mtl\no ${name}\nusemtl steel\n`);
    const missing = Math.max(0, size - head.length);
    const vertices = this.#some(this.#vertices, Math.ceil(SHARE_OF_VERTICES * missing));
    return Buffer.concat([head, vertices, this.#some(this.#faces, missing - vertices.length)]);
  }

  /** An MTL file of about so many bytes. */
  materials(name: string, size: number): Buffer {
    const texts = [`# ${name}\n`, 'newmtl steel\nKd 0.6 0.6 0.65\n'];
    for (let length = 0; length < size - 40; length += (texts.at(-1) as string).length) {
      texts.push(`newmtl paint-${texts.length}\nKd ${this.#next().toFixed(3)} 0.5 0.5\n`);
    }
    return Buffer.from(texts.join(''));
  }

  /** Whole lines from anywhere among these, and blanks in place of what would be half a line. */
  #some(all: Buffer, length: number): Buffer {
    const latest = Math.max(0, all.length - length - MAX_LINE);
    const start = all.indexOf('\n', Math.floor(this.#next() * latest)) + 1;
    const piece = Buffer.from(all.subarray(start, start + length));
    return piece.fill(' ', piece.lastIndexOf('\n') + 1);
  }
}

function lines(count: number, line: () => string): Buffer {
  return Buffer.from(Array.from({ length: count }, line).join(''));
}
