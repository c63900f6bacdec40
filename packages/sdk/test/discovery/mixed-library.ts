import { glb, model, OBJ, ros, sdf, urdf } from './models.ts';

/** A little of every shape in which people bring robots and models. */
export const MIXED_LIBRARY: Record<string, string | Uint8Array> = {
  'suite.xml': model('<include file="common/parts.xml"/><worldbody><body/></worldbody>'),
  'common/parts.xml': model('<asset/>'),
  'arm/scene.xml': model('<include file="arm.xml"/>'),
  'arm/arm.xml': model('<asset><mesh file="link.obj"/></asset><worldbody><body/></worldbody>'),
  'arm/link.obj': OBJ,
  'makers/acme/hand/urdf/hand.urdf': urdf('package://hand/meshes/palm.stl'),
  'makers/acme/hand/meshes/palm.stl': 'solid',
  'makers/acme/foot/package.xml': ros('foot'),
  'makers/acme/foot/robots/foot.urdf': urdf('package://hand/meshes/palm.stl'),
  'city/tree.glb': glb('colors.png'),
  'city/rock.glb': glb('colors.png'),
  'city/colors.png': 'x',
  'beer/model.config': '<model><name>Beer</name><sdf version="1.6">model.sdf</sdf></model>',
  'beer/model.sdf': sdf('<uri>model://beer/beer.dae</uri>'),
  'beer/beer.dae': '<COLLADA/>',
};
