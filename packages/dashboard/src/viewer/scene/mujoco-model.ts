import * as THREE from 'three';
import { MAX_CONTACTS } from '../limits.ts';
import { boxesOf, type Stage } from '../stage/stage.ts';
import type { MujocoModelInfo, Pose } from '../workers/mujoco-worker.ts';
import { Arrows } from './arrows.ts';
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
  readonly #contacts = new Arrows(MAX_CONTACTS);
  #last: Pose | undefined;

  constructor(stage: Stage, { geoms, subject, deformed, frame }: MujocoModelInfo) {
    this.#stage = stage;
    this.#factory = new ObjectFactory(stage.renderer);
    this.add('visual', geoms);
    this.#deformed = deformed.map((instance) => this.#factory.mesh(instance));
    for (const mesh of this.#deformed) stage.root.add(mesh);
    stage.scene.add(this.#contacts.object);
    stage.orientModel(frame);
    const isSubject = new Set(subject);
    const looked = [...this.#objects]
      .filter(([geom]) => isSubject.has(geom))
      .flatMap(([, objects]) => objects);
    stage.frameModel((isExact) =>
      [...looked, ...this.#deformed].flatMap((object) => boxesOf(object, isExact)),
    );
  }

  has(layer: Layer): boolean {
    return this.#layers.has(layer);
  }

  add(layer: Layer, geoms: MujocoModelInfo['geoms']): void {
    const group = new THREE.Group();
    for (const { geom, body, instance } of geoms) {
      this.#geoms.set(body, (this.#geoms.get(body) ?? new Set()).add(geom));
      const mesh = this.#factory.mesh(instance);
      mesh.userData = { geom, body };
      group.add(mesh);
      const objects = this.#objects.get(geom) ?? [];
      objects.push(mesh);
      this.#objects.set(geom, objects);
    }
    this.#layers.set(layer, group);
    this.#stage.root.add(group);
    if (this.#last !== undefined) this.pose(this.#last);
  }

  /** The geom that an object shows, and the body that has it. */
  partOf({ userData }: THREE.Object3D): { readonly geom?: number; readonly body?: number } {
    return userData;
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
    this.#showContacts(contacts ?? new Float32Array());
    this.#stage.invalidate();
  }

  #showContacts(contacts: Float32Array): void {
    const { root, size } = this.#stage;
    const longest = size.length();
    const turn = root.getWorldQuaternion(new THREE.Quaternion());
    const arrows = Array.from({ length: contacts.length / 6 }, (_, index) => ({
      from: new THREE.Vector3().fromArray(contacts, index * 6).applyMatrix4(root.matrixWorld),
      along: new THREE.Vector3()
        .fromArray(contacts, index * 6 + 3)
        .clampLength(longest / 1e4, longest)
        .applyQuaternion(turn),
    }));
    this.#contacts.show(arrows, longest * 0.008);
  }
}

type Row = [number, number, number, number];
