import type { Matrix4 } from '@bindery/render/models';
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { messages } from '../messages.ts';
import { disposeOf } from './dispose.ts';
import { Floor } from './floor.ts';
import { Frames } from './frames.ts';
import { fieldOfView, frameThreeQuarter, gridStep } from './framing.ts';
import { createLights, installStudio } from './lights.ts';

/** The 3D view: one canvas, redrawn when something changes. Y is up. */
export class Stage {
  readonly scene = new THREE.Scene();
  /** Holds the model; `orientModel` turns it upright. */
  readonly root = new THREE.Group();
  /** The ground with all that is on it, which `incline` inclines. */
  readonly #ground = new THREE.Group();
  readonly camera = new THREE.PerspectiveCamera(28, 1, 0.01, 100);
  readonly renderer: THREE.WebGLRenderer;
  /** Rendering runs on the CPU, without a GPU. */
  readonly isSoftware: boolean;
  readonly canvas: HTMLCanvasElement;
  readonly #onLost: () => void;
  readonly #controls: OrbitControls;
  readonly #shows = { grid: true, axes: false, wireframe: false };
  readonly #frames: Frames;
  /** The box around the model as displayed. */
  readonly bounds = new THREE.Box3();
  readonly #floor = new Floor();
  readonly #axes = new THREE.AxesHelper();
  #subject: Boxes | undefined;
  #marked: readonly THREE.Object3D[] = [];
  readonly #mark = new THREE.Box3Helper(new THREE.Box3(), 0xff6a00);
  #reserved = 0;
  #isUnshaded = true;
  /** The vertical field of view of another camera, in degrees. */
  #angle: number | null = null;
  /** Called when the camera has moved, unless it follows another one. */
  onCamera: (() => void) | undefined;
  #isLed = false;
  readonly #holders = new Set<string>();

  /** @throws Error if the browser has no WebGL 2. */
  constructor(parent: HTMLElement, onLost: () => void) {
    const canvas = document.createElement('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', messages.view);
    this.isSoftware = drawsInSoftware();
    const renderer = createRenderer(canvas, !this.isSoftware);
    renderer.setPixelRatio(this.isSoftware ? 1 : Math.min(devicePixelRatio, 2));
    installStudio(renderer);
    canvas.addEventListener('webglcontextlost', onLost);
    parent.append(canvas);
    this.canvas = canvas;
    this.#onLost = onLost;
    this.renderer = renderer;
    this.#frames = new Frames(renderer, this.isSoftware, (isAnimated) => this.#draw(isAnimated));
    this.#ground.add(this.root, this.#floor.object, this.#axes);
    this.scene.add(createLights(), this.#ground, this.#mark);
    this.#controls = this.#createControls();
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  /** Turns the model upright. `frame` maps the model's frame to one with Y up. */
  orientModel(frame: Matrix4): void {
    this.root.matrix.fromArray(frame);
    this.root.matrix.decompose(this.root.position, this.root.quaternion, this.root.scale);
    this.root.updateMatrixWorld(true);
  }

  /** Points the camera at the model, or at the part of it whose boxes `subject` returns. */
  frameModel(subject?: Boxes): void {
    this.#subject = subject;
    this.#measure();
    this.fit();
  }

  /** Restores the initial view of the model. */
  fit(): void {
    const framing = frameThreeQuarter(this.#subject?.() ?? boxesOf(this.root));
    if (framing === undefined) return;
    if (this.#angle !== null) {
      this.#angle = null;
      this.#resize();
    }
    const distance = framing.position.distanceTo(framing.target);
    const reach = Math.max(distance, this.bounds.getSize(new THREE.Vector3()).length());
    this.camera.near = distance / 1000;
    this.camera.far = reach * 30;
    this.camera.position.copy(framing.position);
    this.camera.updateProjectionMatrix();
    this.#controls.target.copy(framing.target);
    this.#controls.minDistance = distance / 200;
    this.#controls.maxDistance = reach * 10;
    this.#controls.update();
    this.invalidate(false);
  }

  /** Moves the camera, and the floor below it, along with what it looks at: by a vector in the frame of the model. */
  follow(moved: THREE.Vector3): void {
    if (moved.lengthSq() === 0) return;
    const along = moved.clone().applyQuaternion(this.root.quaternion);
    this.#floor.move(along.x, along.z);
    along.applyQuaternion(this.#ground.quaternion);
    this.camera.position.add(along);
    this.#controls.target.add(along);
    this.#controls.update();
  }

  /** Inclines the ground about a line below the model, by an angle in radians; the right side rises if it is positive. */
  incline(angle: number): void {
    const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), angle);
    const pivot = this.#floor.object.position.clone();
    this.#ground.position.copy(pivot).sub(pivot.clone().applyQuaternion(turn));
    this.#ground.quaternion.copy(turn);
    this.#ground.updateMatrixWorld(true);
    this.invalidate();
  }

  /** Keeps pixels at the right side free of the model: something lies over them. */
  reserve(pixels: number): void {
    this.#reserved = pixels;
    this.#resize();
  }

  /** The position of the camera and the point that it looks at: x, y, z of each. */
  readCamera(): number[] {
    return [...this.camera.position, ...this.#controls.target];
  }

  placeCamera([x = 0, y = 0, z = 0, ...target]: readonly number[]): void {
    this.camera.position.set(x, y, z);
    this.#controls.target.fromArray(target);
    this.#controls.update();
    this.invalidate(false);
  }

  /** Looks from where the camera of another view is, which may show something larger. */
  followCamera(camera: readonly number[]): void {
    const [position, target] = [new THREE.Vector3(...camera), new THREE.Vector3(...camera.slice(3))];
    const distance = position.distanceTo(target);
    this.#controls.maxDistance = Math.max(this.#controls.maxDistance, distance);
    this.#controls.minDistance = Math.min(this.#controls.minDistance, distance);
    this.camera.far = Math.max(this.camera.far, distance * 3);
    this.camera.near = Math.min(this.camera.near, distance / 100);
    this.camera.updateProjectionMatrix();
    this.#isLed = true;
    this.placeCamera(camera);
    this.#isLed = false;
  }

  /** Takes the place and the angle of another camera; `fit` returns to the stage's own. */
  lookThrough(camera: THREE.Camera): void {
    const [position, direction] = [new THREE.Vector3(), new THREE.Vector3()];
    camera.getWorldPosition(position);
    camera.getWorldDirection(direction);
    const center = this.bounds.getCenter(new THREE.Vector3());
    const ahead = Math.max(center.sub(position).dot(direction), this.#controls.minDistance);
    this.#angle = camera instanceof THREE.PerspectiveCamera ? camera.fov : null;
    this.#resize();
    this.placeCamera([...position, ...direction.multiplyScalar(ahead).add(position)]);
  }

  /** Lets one finger act in every direction while anything needs that; otherwise one that moves up or down scrolls the page. */
  holdTouches(by: 'full screen' | 'hand', isHeld: boolean): void {
    if (isHeld) this.#holders.add(by);
    else this.#holders.delete(by);
    this.canvas.style.touchAction = this.#holders.size > 0 ? 'none' : 'pan-y';
  }

  /** The width, height and depth of the model as displayed, or a little more. */
  get size(): THREE.Vector3 {
    return this.bounds.getSize(new THREE.Vector3());
  }

  /** The same as exactly as it can be measured in a frame. */
  measureSize(): THREE.Vector3 {
    const bounds = new THREE.Box3();
    for (const box of this.#subject?.(true) ?? boxesOf(this.root, true)) bounds.union(box);
    return bounds.getSize(new THREE.Vector3());
  }

  get gridStep(): number {
    return gridStep(Math.max(this.size.x, this.size.z, this.size.y * 0.6));
  }

  isShown(what: 'grid' | 'axes' | 'wireframe'): boolean {
    return this.#shows[what];
  }

  /** What of the model is seen at a place of the view, from −1 to 1 to the right and up. */
  pick(x: number, y: number): THREE.Intersection | undefined {
    const ray = this.rayThrough(x, y);
    ray.params.Points.threshold = this.size.length() / 200;
    const [cut] = this.renderer.clippingPlanes;
    return ray
      .intersectObject(this.root)
      .find(({ object, point }) => isShown(object) && (cut === undefined || cut.distanceToPoint(point) >= 0));
  }

  rayThrough(x: number, y: number): THREE.Raycaster {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return ray;
  }

  /** Where in the view a pointer is, from −1 to 1 to the right and up. */
  placeOf({ offsetX, offsetY }: PointerEvent): [x: number, y: number] {
    return [(offsetX / this.canvas.clientWidth) * 2 - 1, 1 - (offsetY / this.canvas.clientHeight) * 2];
  }

  show(what: 'grid' | 'axes' | 'wireframe', isOn: boolean): void {
    this.#shows[what] = isOn;
    if (what === 'wireframe') this.applyWireframe();
    else this.#updateHelpers();
    this.invalidate();
  }

  /** Applies the wireframe setting to objects added later. */
  applyWireframe(): void {
    this.root.traverse((object) => {
      for (const material of [(object as Partial<THREE.Mesh>).material ?? []].flat()) {
        if ('wireframe' in material) material.wireframe = this.#shows.wireframe;
      }
    });
  }

  /** Hides what lies behind a plane; nothing for null. */
  cut(plane: THREE.Plane | null): void {
    this.renderer.clippingPlanes = plane === null ? [] : [plane];
    this.invalidate();
  }

  /** Draws a box around objects, which follows them. */
  mark(objects: readonly THREE.Object3D[]): void {
    this.#marked = objects;
    this.invalidate();
  }

  /** Schedules a redraw, with the shadow anew unless only the camera has moved. */
  invalidate(hasModelChanged = true): void {
    this.#isUnshaded ||= hasModelChanged;
    this.#frames.request();
  }

  /** Calls `tick` before every frame and redraws continuously, until the returned function is called. */
  animate(tick: (seconds: number) => void): () => void {
    this.#isUnshaded = true;
    return this.#frames.animate(tick);
  }

  /** Turns slowly around the model, unless the user prefers that nothing moves. */
  turn(): void {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    Object.assign(this.#controls, { autoRotate: true, autoRotateSpeed: 1 });
    this.animate((seconds) => this.#controls.update(seconds));
  }

  /** Resolves when the next frame has been drawn and the GPU has finished it. */
  whenDrawn(): Promise<void> {
    return this.#frames.whenDrawn();
  }

  /** Returns the view as a PNG with a transparent background. */
  async capture(): Promise<Blob> {
    this.camera.clearViewOffset();
    this.#render();
    this.#resize();
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
    });
  }

  /** Draws no more frames. Resolves when the GPU has finished those that it has begun. */
  stop(): Promise<void> {
    return this.#frames.stop();
  }

  /** Frees the graphics memory and removes the canvas from the page. */
  close(): void {
    this.#frames.endAnimations();
    disposeOf(this.scene);
    this.#floor.close();
    this.#controls.dispose();
    this.canvas.removeEventListener('webglcontextlost', this.#onLost);
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }

  #createControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.addEventListener('change', () => {
      this.invalidate(false);
      if (!this.#isLed) this.onCamera?.();
    });
    this.holdTouches('hand', false);
    // Before the controls see it: a page is scrolled past a model that nobody has touched.
    this.canvas.addEventListener(
      'wheel',
      (event) => {
        if (document.activeElement !== this.canvas && !event.ctrlKey) event.stopImmediatePropagation();
      },
      { capture: true, passive: true },
    );
    this.canvas.addEventListener('keydown', (event) => {
      if (this.#turnByKey(event.key)) event.preventDefault();
    });
    return controls;
  }

  /** Arrows rotate, plus and minus zoom, 0 fits. */
  #turnByKey(key: string): boolean {
    const act = KEYS[key];
    if (act === 'fit') this.fit();
    else act?.(this.#controls);
    return act !== undefined;
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.fov = this.#angle ?? fieldOfView(this.camera.aspect);
    this.camera.setViewOffset(width, height, this.#reserved / 2, 0, width, height);
    this.invalidate(false);
  }

  #draw(isAnimated: boolean): void {
    this.#mark.visible = this.#marked.length > 0;
    this.#mark.box.makeEmpty();
    for (const box of this.#marked.flatMap((object) => boxesOf(object))) this.#mark.box.union(box);
    this.#render();
    this.#isUnshaded ||= isAnimated;
  }

  #render(): void {
    if (this.#isUnshaded) this.#floor.shade(this.renderer, this.root);
    this.#isUnshaded = false;
    this.renderer.render(this.scene, this.camera);
  }

  #measure(): void {
    this.bounds.makeEmpty();
    for (const box of this.#subject?.() ?? boxesOf(this.root)) this.bounds.union(box);
    this.#updateHelpers();
  }

  /** Lays the floor under the model, and the axes at its origin. */
  #updateHelpers(): void {
    this.#axes.visible = this.#shows.axes;
    this.#floor.showGrid(this.#shows.grid);
    if (this.bounds.isEmpty()) return;
    const { min, max } = this.bounds;
    const slack = (max.y - min.y) * 0.1;
    // The ground is at the file's zero, unless the model hovers far above it or extends below it.
    const ground = min.y > -slack && min.y < slack * 3 ? Math.min(0, min.y) : min.y;
    this.#floor.place(this.bounds, ground);
    this.#isUnshaded = true;
    this.#axes.scale.setScalar(this.bounds.getSize(new THREE.Vector3()).length() * 0.35);
    this.#axes.quaternion.copy(this.root.quaternion);
    this.#axes.position.copy(this.root.position);
  }
}

const TURN = Math.PI / 18;
const KEYS: Readonly<Record<string, 'fit' | ((camera: OrbitControls) => void)>> = {
  ArrowLeft: (camera) => camera.rotateLeft(TURN),
  ArrowRight: (camera) => camera.rotateLeft(-TURN),
  ArrowUp: (camera) => camera.rotateUp(TURN),
  ArrowDown: (camera) => camera.rotateUp(-TURN),
  '+': (camera) => camera.dollyIn(0.85),
  '=': (camera) => camera.dollyIn(0.85),
  '-': (camera) => camera.dollyOut(0.85),
  '0': 'fit',
};

/** Returns boxes around what is displayed, those of `isExact` as tight as they can be. */
type Boxes = (isExact?: boolean) => Iterable<THREE.Box3>;

/** How many vertices are measured in a frame. */
const MAX_MEASURED = 500_000;

/** Returns the boxes of all visible geometry as displayed: exact ones, or those around their own boxes, which may be turned. */
export function boxesOf(root: THREE.Object3D, isExact = false): THREE.Box3[] {
  const boxes: THREE.Box3[] = [];
  let left = isExact ? MAX_MEASURED : 0;
  root.updateWorldMatrix(true, true);
  root.traverseVisible((object) => {
    const { geometry } = object as Partial<THREE.Mesh>;
    if (geometry === undefined) return;
    const { count = 0 } = geometry.getAttribute('position') ?? {};
    const isMeasured =
      count <= left && object instanceof THREE.Mesh && !(object instanceof THREE.InstancedMesh);
    if (isMeasured) left -= count;
    const box = isMeasured
      ? exactBox(object, count)
      : ownBox(object as THREE.Mesh).applyMatrix4(object.matrixWorld);
    if (!box.isEmpty()) boxes.push(box);
  });
  return boxes;
}

function isShown(object: THREE.Object3D | null): boolean {
  return object === null || (object.visible && isShown(object.parent));
}

function exactBox(mesh: THREE.Mesh, vertices: number): THREE.Box3 {
  const [box, vertex] = [new THREE.Box3(), new THREE.Vector3()];
  for (let at = 0; at < vertices; at++)
    box.expandByPoint(mesh.getVertexPosition(at, vertex).applyMatrix4(mesh.matrixWorld));
  return box;
}

/** In the object's own frame, including instances, bones and morph targets. */
function ownBox(object: THREE.Mesh): THREE.Box3 {
  if (object instanceof THREE.InstancedMesh || object instanceof THREE.SkinnedMesh) {
    object.computeBoundingBox();
    return object.boundingBox?.clone() ?? new THREE.Box3();
  }
  if (object.geometry.boundingBox === null) object.geometry.computeBoundingBox();
  return object.geometry.boundingBox?.clone() ?? new THREE.Box3();
}

function createRenderer(canvas: HTMLCanvasElement, antialias: boolean): THREE.WebGLRenderer {
  try {
    return new THREE.WebGLRenderer({ canvas, antialias, alpha: true, preserveDrawingBuffer: false });
  } catch (error) {
    throw new Error(messages.noWebGl, { cause: error });
  }
}

/** Whether rendering runs on the CPU, which makes antialiasing and high resolutions expensive. */
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
