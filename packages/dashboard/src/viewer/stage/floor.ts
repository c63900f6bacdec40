import * as THREE from 'three';
import { FullScreenQuad } from 'three/addons/postprocessing/Pass.js';
import { gridStep } from './framing.ts';

/** Pixels along each side of the shadow, and how far the shadow of something small spreads over it. */
const PIXELS = 256;
const SPREAD = 0.025;

/** The floor under a model: the model's soft shadow, and a grid that fades out with the distance. */
export class Floor {
  readonly object: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  readonly #above = new THREE.WebGLRenderTarget(PIXELS, PIXELS);
  readonly #blurred = new THREE.WebGLRenderTarget(PIXELS, PIXELS);
  readonly #below = new THREE.OrthographicCamera();
  readonly #nearness = new THREE.MeshDepthMaterial({ side: THREE.DoubleSide });
  readonly #blur = new FullScreenQuad(
    new THREE.ShaderMaterial({
      uniforms: { above: { value: this.#above.texture } },
      vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = vec4( position, 1.0 ); }',
      fragmentShader: BLUR,
    }),
  );
  readonly #uniforms = {
    shadow: { value: this.#blurred.texture },
    center: { value: new THREE.Vector2() },
    size: { value: 1 },
    cell: { value: 1 },
    lines: { value: 1 },
  };
  readonly #center = new THREE.Vector3();

  constructor() {
    const material = new THREE.ShaderMaterial({
      uniforms: this.#uniforms,
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
    });
    this.object = new THREE.Mesh(new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
    this.object.name = 'floor';
    this.object.visible = false;
  }

  /** Lays the floor under a box, at a height. */
  place({ min, max }: THREE.Box3, ground: number): void {
    const size = Math.max(max.x - min.x, max.z - min.z, (max.y - min.y) * 0.6, 1e-6);
    this.#uniforms.size.value = size;
    this.#uniforms.cell.value = gridStep(size);
    this.#center.set((min.x + max.x) / 2, ground, (min.z + max.z) / 2);
    this.object.scale.setScalar(size * 1.5);
    this.object.visible = true;
    this.move(0, 0);
  }

  showGrid(isOn: boolean): void {
    this.#uniforms.lines.value = isOn ? 1 : 0;
  }

  /** Keeps the floor below what moves; its grid stays where it is. */
  move(x: number, z: number): void {
    this.#center.x += x;
    this.#center.z += z;
    this.object.position.copy(this.#center);
    const { cell, center } = this.#uniforms;
    center.value.set(this.#center.x % cell.value, this.#center.z % cell.value);
  }

  /** Draws the shadow of all that is visible in `root`, seen from below. */
  shade(renderer: THREE.WebGLRenderer, root: THREE.Object3D): void {
    const half = (this.#uniforms.size.value * 1.7) / 2;
    Object.assign(this.#below, { left: -half, right: half, top: half, bottom: -half, near: 0, far: half });
    this.#below.position.copy(this.#center).y -= half / 1e3;
    this.#below.up.set(0, 0, 1);
    this.#below.lookAt(this.#center.x, this.#center.y + 1, this.#center.z);
    this.#below.updateProjectionMatrix();
    const [scene, parent] = [new THREE.Scene(), root.parent];
    scene.overrideMaterial = this.#nearness;
    scene.add(root);
    renderer.setRenderTarget(this.#above);
    renderer.clear();
    renderer.render(scene, this.#below);
    renderer.setRenderTarget(this.#blurred);
    this.#blur.render(renderer);
    renderer.setRenderTarget(null);
    parent?.add(root);
  }

  close(): void {
    this.#above.dispose();
    this.#blurred.dispose();
    this.#nearness.dispose();
    this.#blur.material.dispose();
    this.#blur.dispose();
  }
}

const BLUR = `
uniform sampler2D above;
varying vec2 at;
void main() {
  float sum = 0.0;
  for ( int i = 0; i < 48; i ++ ) {
    float angle = float( i ) * 2.399963;
    sum += texture2D( above, at + ${SPREAD} * sqrt( ( float( i ) + 0.5 ) / 12.0 ) * vec2( cos( angle ), sin( angle ) ) ).r;
  }
  gl_FragColor = vec4( sum / 48.0 );
}`;

const FLOOR_VERTEX = `
uniform float size;
varying vec2 place;
void main() {
  place = position.xz * 1.5;
  gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`;

/** `place` is in sizes of the model, from its middle. */
const FLOOR = `
uniform sampler2D shadow;
uniform vec2 center;
uniform float size, cell, lines;
varying vec2 place;
void main() {
  vec2 cells = ( place * size + center ) / cell;
  vec2 near = abs( fract( cells - 0.5 ) - 0.5 ) / fwidth( cells );
  float line = 0.4 * lines * ( 1.0 - min( min( near.x, near.y ), 1.0 ) ) * ( 1.0 - smoothstep( 0.5, 1.45, length( place ) ) );
  vec2 at = place / 1.7 * vec2( -1.0, 1.0 ) + 0.5;
  float inside = step( 0.0, min( min( at.x, at.y ), min( 1.0 - at.x, 1.0 - at.y ) ) );
  float dark = 0.42 * inside * texture2D( shadow, at ).r * ( 1.0 - smoothstep( 0.6, 0.85, length( place ) ) );
  float alpha = line + dark * ( 1.0 - line );
  gl_FragColor = vec4( vec3( 0.54, 0.576, 0.635 ) * line / max( alpha, 1e-4 ), alpha );
}`;
