"""Prints the schemas of physics that OpenUSD knows, and those of Newton and PhysX, with their properties, as JSON."""

import importlib.util
import json
from pathlib import Path

from pxr import Plug, Sdf, Tf, Usd

registry = Usd.SchemaRegistry()
schemas = {}
for kind in Tf.Type.Find(Usd.SchemaBase).GetAllDerivedTypes():
    name = registry.GetSchemaTypeName(kind)
    plugin = Plug.Registry().GetPluginForType(kind)
    if not name or plugin is None or plugin.name != "usdPhysics":
        continue
    own = registry.FindConcretePrimDefinition(name) or registry.FindAppliedAPIPrimDefinition(name)
    schemas[name] = list(own.GetPropertyNames()) if own else []

PLACES = {
    "newton_usd_schemas": "generatedSchema.usda",
    "physx_usd_schemas": "PhysxSchema/resources/generatedSchema.usda",
}
for package, place in PLACES.items():
    folder = Path(importlib.util.find_spec(package).submodule_search_locations[0])
    layer = Sdf.Layer.FindOrOpen(str(folder / place))
    for prim in layer.rootPrims:
        schemas[prim.name] = [one.name for one in prim.properties]
print(json.dumps(schemas))
