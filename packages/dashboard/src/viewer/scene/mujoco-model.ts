import * as THREE from 'three';
import { boxesOf, type Stage } from '../stage/stage.ts';
import type { MujocoModelInfo, Pose } from '../workers/mujoco-worker.ts';
import { bufferGeometry, ObjectFactory } from './objects.ts';

type Layer = 'visual' | 'collision' | 'scenery';

/** A compiled model on the stage, moved by the poses that MuJoCo reports. */
export class ModelOnStage {
  readonly #stage: Stage;
  readonly #factory: ObjectFactory;
  readonly #layers = new Map<Layer, THREE.Group>();
  /** The objects that show each geom. */
  readonly #objects = new Map<number, THREE.Object3D[]>();
  /** The geoms of each body. */
  readonly #geoms = new Map<number, Set<number>>();
  readonly #deformed: readonly THREE.Mesh[];
  readonly #contacts = new ContactMarks();
  #last: Pose | undefined;

  constructor(stage: Stage, { geoms, subject, deformed, frame }: MujocoModelInfo) {
    this.#stage = stage;
    this.#factory = new ObjectFactory(stage.renderer);
    this.add('visual', geoms);
    this.#deformed = deformed.map((instance) => this.#factory.mesh(instance));
    stage.root.add(...this.#deformed, this.#contacts.object);
    stage.orientModel(frame);
    const isSubject = new Set(subject);
    const looked = [...this.#objects]
      .filter(([geom]) => isSubject.has(geom))
      .flatMap(([, objects]) => objects);
    stage.frameModel(() => [...looked, ...this.#deformed].flatMap(boxesOf));
    this.#contacts.scale(stage.size.length());
  }

  has(layer: Layer): boolean {
    return this.#layers.has(layer);
  }

  add(layer: Layer, geoms: MujocoModelInfo['geoms']): void {
    const group = new THREE.Group();
    for (const { geom, body, instance } of geoms) {
      this.#geoms.set(body, (this.#geoms.get(body) ?? new Set()).add(geom));
      const mesh = this.#factory.mesh(instance);
      group.add(mesh);
      const objects = this.#objects.get(geom) ?? [];
      objects.push(mesh);
      this.#objects.set(geom, objects);
    }
    this.#layers.set(layer, group);
    this.#stage.root.add(group);
    if (this.#last !== undefined) this.pose(this.#last);
  }

  /** The objects of a body, without those of the bodies that it carries. */
  shapesOf(body: number): THREE.Object3D[] {
    return [...(this.#geoms.get(body) ?? [])].flatMap((geom) => this.#objects.get(geom) ?? []);
  }

  /** Collision shapes replace the visual geoms while they are shown. */
  show(layer: 'collision' | 'scenery', isOn: boolean): void {
    const group = this.#layers.get(layer);
    if (group !== undefined) group.visible = isOn;
    const visual = this.#layers.get('visual');
    if (layer === 'collision' && visual !== undefined && group !== undefined)
      visual.visible = !isOn || group.children.length === 0;
    this.#stage.applyWireframe();
    this.#stage.invalidate();
  }

  pose(pose: Pose): void {
    this.#last = pose;
    const { positions: p, rotations: r, deformed, contacts } = pose;
    for (const [geom, objects] of this.#objects) {
      const [at, turn] = [geom * 3, geom * 9];
      for (const object of objects) {
        object.matrix.set(
          ...([r[turn], r[turn + 1], r[turn + 2], p[at]] as Row),
          ...([r[turn + 3], r[turn + 4], r[turn + 5], p[at + 1]] as Row),
          ...([r[turn + 6], r[turn + 7], r[turn + 8], p[at + 2]] as Row),
          ...([0, 0, 0, 1] as Row),
        );
        object.matrixWorldNeedsUpdate = true;
      }
    }
    for (const [index, geometry] of deformed.entries()) {
      const mesh = this.#deformed[index];
      if (mesh === undefined || geometry === undefined) continue;
      const uvs = mesh.geometry.getAttribute('uv');
      mesh.geometry.dispose();
      mesh.geometry = bufferGeometry(geometry);
      if (uvs && uvs.count === geometry.positions.length / 3) mesh.geometry.setAttribute('uv', uvs);
    }
    this.#contacts.show(contacts);
    this.#stage.invalidate();
  }
}

type Row = [number, number, number, number];

/** A line along the normal of each contact. */
class ContactMarks {
  readonly object = new THREE.LineSegments(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ color: 0xff6a00, depthTest: false, transparent: true }),
  );
  #length = 0.1;

  constructor() {
    this.object.renderOrder = 1;
    this.object.visible = false;
    this.object.frustumCulled = false;
  }

  scale(size: number): void {
    this.#length = size * 0.06;
  }

  show(contacts: Float32Array | undefined): void {
    this.object.visible = contacts !== undefined && contacts.length > 0;
    if (contacts === undefined || contacts.length === 0) return;
    const ends = contacts.slice();
    for (let i = 0; i < ends.length; i += 6) {
      for (let k = 0; k < 3; k++) {
        ends[i + 3 + k] = (ends[i + k] ?? 0) + (ends[i + 3 + k] ?? 0) * this.#length;
      }
    }
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry();
    this.object.geometry.setAttribute('position', new THREE.BufferAttribute(ends, 3));
  }
}
