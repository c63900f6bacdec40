"""Measure a mesh: its extents, area and, if it is closed, its volume. Needs trimesh.

    BINDERY_API_URL=https://bindery.example.org python3 measure_a_mesh.py acme/kitchen@v1.2/mug

`mug` alone is looked up in the `assets.lock` of the project that contains the working folder. A second argument selects
another file of the asset: measure_a_mesh.py acme/robots/arm arm/meshes/link.stl
"""

import sys

import bindery

try:
    import trimesh
except ImportError:
    sys.exit("The package trimesh is missing: pip install trimesh")


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("Say which asset: namespace/name/asset, namespace/name@release/asset, or a name in assets.lock.")
    try:
        file = bindery.path(sys.argv[1], file=sys.argv[2] if len(sys.argv) == 3 else None)
    except (bindery.BinderyError, ValueError) as error:
        sys.exit(f"{error}")
    mesh = trimesh.load(str(file), force="mesh")
    x, y, z = mesh.extents
    print(f"{x:.3f} × {y:.3f} × {z:.3f}, area {mesh.area:.4f}")
    print(f"volume {mesh.volume:.4f}" if mesh.is_watertight else "not closed, so it has no volume")


if __name__ == "__main__":
    main()
