const VERTICES = 100_000;
const FACES = 100_000;
/** Faces refer to the first vertices; files below some 2.5 KB have fewer of them. */
const NAMED_VERTICES = 50;
const SHARE_OF_VERTICES = 0.6;
const MAX_LINE = 34;

/** Generates OBJ and MTL files of given sizes, no two alike. */
export class ModelTexts {
  readonly #next: () => number;
  readonly #vertices: Buffer;
  readonly #faces: Buffer;

  /** @param next returns a random number from 0 to 1 */
  constructor(next: () => number) {
    this.#next = next;
    const coordinate = () => (2 * next() - 1).toFixed(6);
    const vertex = () => 1 + Math.floor(next() * NAMED_VERTICES);
    this.#vertices = lines(VERTICES, () => `v ${coordinate()} ${coordinate()} ${coordinate()}\n`);
    this.#faces = lines(FACES, () => `f ${vertex()} ${vertex()} ${vertex()}\n`);
  }

  /** Returns an OBJ file of `size` bytes, or slightly more if that is very small. */
  model(name: string, size: number): Buffer {
    const head = Buffer.from(`mtllib materials.mtl\no ${name}\nusemtl steel\n`);
    const missing = Math.max(0, size - head.length);
    const vertices = this.#some(this.#vertices, Math.ceil(SHARE_OF_VERTICES * missing));
    return Buffer.concat([head, vertices, this.#some(this.#faces, missing - vertices.length)]);
  }

  /** Returns an MTL file of about `size` bytes. */
  materials(name: string, size: number): Buffer {
    const texts = [`# ${name}\n`, 'newmtl steel\nKd 0.6 0.6 0.65\n'];
    for (let length = 0; length < size - 40; length += (texts.at(-1) as string).length) {
      texts.push(`newmtl paint-${texts.length}\nKd ${this.#next().toFixed(3)} 0.5 0.5\n`);
    }
    return Buffer.from(texts.join(''));
  }

  /** Returns whole lines from a random position, padded with spaces instead of a partial line. */
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
