import type { UsdPrim } from './stage/stage-prim.ts';

/** Whether a prim is a body that a simulator moves, or that moves others. */
export function isBody(prim: UsdPrim): boolean {
  return prim.schemas.includes('PhysicsRigidBodyAPI') && prim.value('physics:rigidBodyEnabled') !== false;
}

/** Whether bodies collide with a prim: as it says itself, else as what it is a part of does. */
export function collides(prim: UsdPrim, isPartOfCollider: boolean): boolean {
  if (!prim.schemas.includes('PhysicsCollisionAPI')) return isPartOfCollider;
  return prim.value('physics:collisionEnabled') !== false;
}

/** The prims of a body that others collide with, without those of bodies in it. */
export function* collidersIn(body: UsdPrim, isPartOfCollider = false): Generator<UsdPrim> {
  const isCollider = collides(body, isPartOfCollider);
  if (isCollider) yield body;
  for (const child of body.children) if (!isBody(child)) yield* collidersIn(child, isCollider);
}

/** Prims and all that are below them. */
export function* everyPrim(prims: readonly UsdPrim[]): Generator<UsdPrim> {
  for (const prim of prims) {
    yield prim;
    yield* everyPrim(prim.children);
  }
}
