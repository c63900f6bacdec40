"""Drop a robot under gravity for a second, and print the positions of its bodies. Needs MuJoCo's Python package.

    BINDERY_API_URL=https://bindery.example.org python3 simulate_a_robot.py acme/robots@v1.2/arm

The robot may be MJCF or URDF; its meshes, textures and included models are found among the files of the asset.
"""

import sys

import bindery

try:
    import mujoco
except ImportError:
    sys.exit("MuJoCo's Python package is missing: pip install mujoco")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("Say which robot: namespace/name/asset, namespace/name@release/asset, or a name in assets.lock.")
    try:
        model = bindery.load(sys.argv[1], "mujoco")
    except (bindery.BinderyError, ValueError) as error:
        sys.exit(f"{error}")
    data = mujoco.MjData(model)
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    for body in range(1, model.nbody):
        x, y, z = data.xpos[body]
        print(f"{model.body(body).name or body}: {x:.3f} {y:.3f} {z:.3f}")


if __name__ == "__main__":
    main()
