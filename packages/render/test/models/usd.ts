import { pylon } from './pylon.ts';

/** The pylon as text, its tower in its own colour and its base in that of a material, or also in its own. */
export function usdPylon(up: 'y' | 'z' = 'z', hasMaterial = true): string {
  const parts = pylon(up).map(({ name, color, positions }) => {
    const corners = positions.length / 3;
    const linear = color.map((part) => part ** 2.2).join(', ');
    const points = Array.from(
      { length: corners },
      (_, at) => `(${positions.slice(at * 3, at * 3 + 3).join(', ')})`,
    );
    const look =
      name === 'base' && hasMaterial
        ? 'rel material:binding = </pylon/paint>'
        : `color3f[] primvars:displayColor = [(${linear})]`;
    return `def Mesh "${name}" {
      int[] faceVertexCounts = [${Array(corners / 3)
        .fill(3)
        .join(', ')}]
      int[] faceVertexIndices = [${points.map((_, at) => at).join(', ')}]
      point3f[] points = [${points.join(', ')}]
      uniform token subdivisionScheme = "none"
      ${look}
    }
    ${name === 'base' && hasMaterial ? previewSurface('paint', `color3f inputs:diffuseColor = (${linear})`) : ''}`;
  });
  return `#usda 1.0\n(\n  upAxis = "${up.toUpperCase()}"\n  metersPerUnit = 1\n)\ndef Xform "pylon" {\n${parts.join('\n')}\n}\n`;
}

/** A material of a parent with this name. */
export function previewSurface(name: string, inputs: string, shaders = '', parent = 'pylon'): string {
  return `def Material "${name}" {
    token outputs:surface.connect = </${parent}/${name}/surface.outputs:surface>
    def Shader "surface" {
      uniform token info:id = "UsdPreviewSurface"
      ${inputs}
      token outputs:surface
    }
    ${shaders}
  }`;
}

/** A square in the plane of X and Y, as wide as `size`, from its corner. */
export function square(name: string, more = '', size = 1): string {
  return `def Mesh "${name}" {
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(0, 0, 0), (${size}, 0, 0), (${size}, ${size}, 0), (0, ${size}, 0)]
    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
    ${more}
  }`;
}

/** An arm of UsdPhysics in centimetres: a base that the world holds, a link that turns, and a hand that slides. */
export const USD_ARM = `#usda 1.0
(
  upAxis = "Y"
  metersPerUnit = 0.01
)
def Xform "arm" {
  def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 2
    def Cube "shape" { double size = 20; }
  }
  def Xform "link" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 1
    double3 xformOp:translate = (0, 50, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "shape" { double size = 10; }
    def Cube "hull" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
      double size = 12
      uniform token purpose = "guide"
    }
  }
  def Xform "hand" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (0, 80, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "shape" { double size = 6; }
  }
  def PhysicsFixedJoint "foot" { rel physics:body1 = </arm/base>; }
  def PhysicsRevoluteJoint "shoulder" {
    rel physics:body0 = </arm/base>
    rel physics:body1 = </arm/link>
    point3f physics:localPos0 = (0, 50, 0)
    uniform token physics:axis = "Z"
    float physics:lowerLimit = -90
    float physics:upperLimit = 45
  }
  def PhysicsPrismaticJoint "grip" {
    rel physics:body0 = </arm/hand>
    rel physics:body1 = </arm/link>
    point3f physics:localPos1 = (0, 20, 0)
    uniform token physics:axis = "Y"
    float physics:lowerLimit = -20
    float physics:upperLimit = 0
  }
}
`;
