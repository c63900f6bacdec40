import type { Choice } from './choice.ts';
import type { Stage } from './stage/stage.ts';
import type { ViewerContent } from './viewer.ts';

/** What a link to a view restores. */
export interface View {
  /** The position of the camera, and the point that it looks at: x, y, z of each. */
  readonly camera: readonly number[];
  /** What is chosen of each choice, in their order. */
  readonly choices: readonly number[];
  /** The values of the pose that are not those that the model begins with, by index. */
  readonly moved: ReadonlyMap<number, number>;
}

/** Remembers the pose in which a model was opened, and reads and shows views of it. */
export class Views {
  readonly #content: ViewerContent;
  readonly #stage: Stage;
  readonly #choices: readonly Choice[];
  readonly #first: readonly number[];

  constructor(content: ViewerContent, stage: Stage) {
    this.#content = content;
    this.#stage = stage;
    this.#choices = content.controls?.choices ?? [];
    this.#first = Array.from(content.pose?.read() ?? [], Math.fround);
  }

  read(): View {
    const values = Array.from(this.#content.pose?.read() ?? [], Math.fround);
    return {
      camera: this.#stage.readCamera(),
      choices: this.#choices.map(({ chosen }) => chosen),
      moved: new Map([...values.entries()].filter(([index, value]) => value !== this.#first[index])),
    };
  }

  async show({ camera, choices, moved }: View): Promise<void> {
    for (const [index, choice] of this.#choices.entries()) {
      const option = choices[index];
      if (option !== undefined && option !== choice.chosen) choice.choose(option);
    }
    await this.#content.pose?.write(this.#first.map((value, index) => moved.get(index) ?? value));
    this.#stage.placeCamera(camera);
  }
}

/** Of the format. A link of another one shows the asset as it opens. */
const VERSION = 1;
const CAMERA_VALUES = 6;

/** Returns a view as text for a URL, four bytes for each number. */
export function encodeView({ camera, choices, moved }: View): string {
  const numbers = [VERSION, ...camera, choices.length, ...choices, ...[...moved].flat()];
  const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The inverse of `encodeView`; null for anything that it does not return. */
export function decodeView(text: string): View | null {
  const numbers = numbersIn(text);
  const [version, ...values] = numbers;
  const camera = values.splice(0, CAMERA_VALUES);
  const choices = values.splice(0, 1 + (values[0] ?? 0)).slice(1);
  if (version !== VERSION || values.length % 2 !== 0 || !numbers.every(Number.isFinite)) return null;
  const moved = new Map(
    values.flatMap((value, at) => (at % 2 ? [[values[at - 1] ?? 0, value] as const] : [])),
  );
  return camera.length === CAMERA_VALUES ? { camera, choices, moved } : null;
}

function numbersIn(text: string): number[] {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return [...new Float32Array(Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer)];
  } catch {
    return [];
  }
}
