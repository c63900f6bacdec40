import { LINEAR_OF_SRGB } from '@bindery/formats/images/pixels';
import { normalOf } from '@bindery/formats/model/normals';
import type { Material, Texture } from '@bindery/formats/model/scene';
import type { Draw } from '../rasterise/draw.ts';
import type { SurfacePoint } from './light.ts';
import { sampleTexture } from './texture.ts';

/** Reads surfaces of one draw, triangle by triangle. */
export class SurfaceReader {
  readonly draw: Draw;
  readonly #screen: Float32Array;
  readonly #footprint: number;
  readonly #texel = new Float32Array(4);
  #first = -1;
  #a = 0;
  #b = 0;
  #c = 0;
  #wa = 0;
  #wb = 0;
  #wc = 0;
  #texelsPerSample = 0;
  readonly #tangent = new Float64Array(6);
  readonly #flat = new Float64Array(3);

  /** `footprint` is the side in samples of the area that one reading covers; it determines the level of textures. */
  constructor(draw: Draw, screen: Float32Array, footprint: number) {
    this.draw = draw;
    this.#screen = screen;
    this.#footprint = footprint;
  }

  /** Switches to the triangle whose corners begin at `indices[first]`. */
  enter(first: number): void {
    if (first === this.#first) return;
    this.#first = first;
    const { indices } = this.draw;
    this.#a = indices[first] as number;
    this.#b = indices[first + 1] as number;
    this.#c = indices[first + 2] as number;
    this.#measureFlatNormal();
    if (this.draw.uvs !== undefined) this.#measureTexture(this.draw.uvs);
  }

  /** Only the opacity at the screen-space weights (u of the second corner, v of the third). */
  alphaAt(u: number, v: number): number {
    this.#weigh(u, v);
    const { material, colors } = this.draw;
    let alpha = material.baseColor[3];
    if (material.baseColorTexture !== undefined && this.#sample(material.baseColorTexture)) {
      alpha *= (this.#texel[3] as number) / 255;
    }
    if (colors !== undefined) alpha *= this.#mix4(colors, 3);
    return alpha;
  }

  /** Fills `point` at the screen-space weights. */
  read(u: number, v: number, eye: readonly [number, number, number], point: SurfacePoint): void {
    this.#weigh(u, v);
    const { positions, normals } = this.draw;
    point.x = this.#mix3(positions, 0);
    point.y = this.#mix3(positions, 1);
    point.z = this.#mix3(positions, 2);
    this.#readMaterial(point);
    let nx = this.#mix3(normals, 0);
    let ny = this.#mix3(normals, 1);
    let nz = this.#mix3(normals, 2);
    let gx = this.#flat[0] as number;
    let gy = this.#flat[1] as number;
    let gz = this.#flat[2] as number;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (length > 1e-6) {
      nx /= length;
      ny /= length;
      nz /= length;
    } else {
      nx = gx;
      ny = gy;
      nz = gz;
    }
    const toEyeX = eye[0] - point.x;
    const toEyeY = eye[1] - point.y;
    const toEyeZ = eye[2] - point.z;
    if (gx * toEyeX + gy * toEyeY + gz * toEyeZ < 0) {
      gx = -gx;
      gy = -gy;
      gz = -gz;
    }
    if (nx * gx + ny * gy + nz * gz < 0) {
      nx = -nx;
      ny = -ny;
      nz = -nz;
    }
    point.nx = nx;
    point.ny = ny;
    point.nz = nz;
    point.gx = gx;
    point.gy = gy;
    point.gz = gz;
    const { normalTexture } = this.draw.material;
    if (normalTexture !== undefined) this.#bump(normalTexture, point);
  }

  /** Converts screen-space weights to perspective-correct ones on the triangle itself. */
  #weigh(u: number, v: number): void {
    const screen = this.#screen;
    const a = (1 - u - v) * (screen[this.#a * 3 + 2] as number);
    const b = u * (screen[this.#b * 3 + 2] as number);
    const c = v * (screen[this.#c * 3 + 2] as number);
    const scale = 1 / (a + b + c);
    this.#wa = a * scale;
    this.#wb = b * scale;
    this.#wc = c * scale;
  }

  #mix3(values: Float32Array, axis: number): number {
    return (
      (values[this.#a * 3 + axis] as number) * this.#wa +
      (values[this.#b * 3 + axis] as number) * this.#wb +
      (values[this.#c * 3 + axis] as number) * this.#wc
    );
  }

  #mix4(values: Float32Array, channel: number): number {
    return (
      (values[this.#a * 4 + channel] as number) * this.#wa +
      (values[this.#b * 4 + channel] as number) * this.#wb +
      (values[this.#c * 4 + channel] as number) * this.#wc
    );
  }

  #readMaterial(point: SurfacePoint): void {
    const { material, colors } = this.draw;
    const texel = this.#texel;
    point.red = material.baseColor[0];
    point.green = material.baseColor[1];
    point.blue = material.baseColor[2];
    point.alpha = material.baseColor[3];
    if (material.baseColorTexture !== undefined && this.#sample(material.baseColorTexture)) {
      point.red *= linear(texel[0] as number);
      point.green *= linear(texel[1] as number);
      point.blue *= linear(texel[2] as number);
      point.alpha *= (texel[3] as number) / 255;
    }
    if (colors !== undefined) {
      point.red *= this.#mix4(colors, 0);
      point.green *= this.#mix4(colors, 1);
      point.blue *= this.#mix4(colors, 2);
      point.alpha *= this.#mix4(colors, 3);
    }
    point.metallic = material.metallic;
    point.roughness = material.roughness;
    if (material.metallicRoughnessTexture !== undefined && this.#sample(material.metallicRoughnessTexture)) {
      point.roughness *= (texel[1] as number) / 255;
      point.metallic *= (texel[2] as number) / 255;
    }
    this.#readEmission(material, point);
    point.occlusion = 1;
    if (material.occlusionTexture !== undefined && this.#sample(material.occlusionTexture)) {
      point.occlusion = (texel[0] as number) / 255;
    }
  }

  #readEmission(material: Material, point: SurfacePoint): void {
    point.emissiveRed = material.emissive[0];
    point.emissiveGreen = material.emissive[1];
    point.emissiveBlue = material.emissive[2];
    if (material.emissiveTexture === undefined || !this.#sample(material.emissiveTexture)) return;
    point.emissiveRed *= linear(this.#texel[0] as number);
    point.emissiveGreen *= linear(this.#texel[1] as number);
    point.emissiveBlue *= linear(this.#texel[2] as number);
  }

  /** Samples a texture. Returns false if the geometry has no texture coordinates, or the texture no image. */
  #sample(texture: Texture): boolean {
    const uvs = (texture.uvSet === 1 ? this.draw.uvs1 : undefined) ?? this.draw.uvs;
    if (uvs === undefined) return false;
    const { transform: m } = texture;
    const s =
      (uvs[this.#a * 2] as number) * this.#wa +
      (uvs[this.#b * 2] as number) * this.#wb +
      (uvs[this.#c * 2] as number) * this.#wc;
    const t =
      (uvs[this.#a * 2 + 1] as number) * this.#wa +
      (uvs[this.#b * 2 + 1] as number) * this.#wb +
      (uvs[this.#c * 2 + 1] as number) * this.#wc;
    const image = texture.levels[0];
    if (image === undefined) return false;
    const stretch = m === undefined ? 1 : Math.sqrt(Math.abs(m[0] * m[3] - m[1] * m[2]));
    const texels = this.#texelsPerSample * this.#footprint * stretch * Math.sqrt(image.width * image.height);
    const level = texels > 1 ? Math.round(Math.log2(texels)) : 0;
    if (m === undefined) sampleTexture(texture, s, t, level, this.#texel);
    else {
      sampleTexture(texture, m[0] * s + m[2] * t + m[4], m[1] * s + m[3] * t + m[5], level, this.#texel);
    }
    return true;
  }

  /** Perturbs the normal by a tangent-space map, with tangents from the triangle's texture coordinates. */
  #bump(texture: Texture, point: SurfacePoint): void {
    if (!this.#sample(texture)) return;
    const scale = this.draw.material.normalScale;
    const texel = this.#texel;
    const x = ((texel[0] as number) / 127.5 - 1) * scale;
    const y = ((texel[1] as number) / 127.5 - 1) * scale;
    const z = Math.max(0.1, (texel[2] as number) / 127.5 - 1);
    const t = this.#tangent;
    const nx = (t[0] as number) * x - (t[3] as number) * y + point.nx * z;
    const ny = (t[1] as number) * x - (t[4] as number) * y + point.ny * z;
    const nz = (t[2] as number) * x - (t[5] as number) * y + point.nz * z;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(length > 1e-6)) return;
    point.nx = nx / length;
    point.ny = ny / length;
    point.nz = nz / length;
  }

  #measureFlatNormal(): void {
    const { positions, indices } = this.draw;
    const length = normalOf(positions, indices, this.#first, this.#flat, 0) || 1;
    for (let axis = 0; axis < 3; axis++) this.#flat[axis] = (this.#flat[axis] as number) / length;
  }

  #measureTexture(uvs: Float32Array): void {
    const { positions: p } = this.draw;
    const [a, b, c] = [this.#a, this.#b, this.#c];
    const du1 = (uvs[b * 2] as number) - (uvs[a * 2] as number);
    const dv1 = (uvs[b * 2 + 1] as number) - (uvs[a * 2 + 1] as number);
    const du2 = (uvs[c * 2] as number) - (uvs[a * 2] as number);
    const dv2 = (uvs[c * 2 + 1] as number) - (uvs[a * 2 + 1] as number);
    const textureArea = Math.abs(du1 * dv2 - du2 * dv1);
    const s = this.#screen;
    const screenArea = Math.abs(
      ((s[b * 3] as number) - (s[a * 3] as number)) * ((s[c * 3 + 1] as number) - (s[a * 3 + 1] as number)) -
        ((s[b * 3 + 1] as number) - (s[a * 3 + 1] as number)) * ((s[c * 3] as number) - (s[a * 3] as number)),
    );
    this.#texelsPerSample = screenArea > 0 ? Math.sqrt(textureArea / screenArea) : 0;
    if (this.draw.material.normalTexture === undefined) return;
    const scale = 1 / (du1 * dv2 - du2 * dv1 || 1);
    const tangent = [0, 0, 0];
    const bitangent = [0, 0, 0];
    for (let k = 0; k < 3; k++) {
      const e1 = (p[b * 3 + k] as number) - (p[a * 3 + k] as number);
      const e2 = (p[c * 3 + k] as number) - (p[a * 3 + k] as number);
      tangent[k] = (e1 * dv2 - e2 * dv1) * scale;
      bitangent[k] = (e2 * du1 - e1 * du2) * scale;
    }
    this.#tangent.set(unit(tangent), 0);
    this.#tangent.set(unit(bitangent), 3);
  }
}

/** The linear value of an encoded one from 0 to 255, which need not be an integer. */
function linear(value: number): number {
  return LINEAR_OF_SRGB[(value + 0.5) | 0] as number;
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
