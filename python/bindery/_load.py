"""Opens assets with the libraries that people work with. These are imported when they are asked for."""

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload
from xml.etree import ElementTree

from ._asset_cache import SupplyOptions
from ._errors import BinderyError, describe
from ._names import one_address
from ._path import Wanted, locate_asset
from ._references import References, missing_references, resolved_urdf

if TYPE_CHECKING:
    import mujoco
    import pinocchio
    import trimesh
    import yourdfpy
    from pxr import Usd

Format = Literal["MJCF", "URDF", "SDF", "xacro", "USD", "mesh"]


class _Model(NamedTuple):
    """A file of an asset in the cache, and what it refers to."""

    file: Path
    format: Format | None
    references: References


class _Client(NamedTuple):
    """A library that opens models: its module, its name on PyPI, what it reads, and how it is called."""

    module: str
    package: str
    reads: tuple[Format, ...]
    open: Callable[[Any, _Model, dict[str, Any]], Any]


@overload
def load(asset: str, library: Literal["mujoco"], **options: Any) -> "mujoco.MjModel": ...
@overload
def load(asset: str, library: Literal["mujoco-spec"], **options: Any) -> "mujoco.MjSpec": ...
@overload
def load(asset: str, library: Literal["yourdfpy"], **options: Any) -> "yourdfpy.URDF": ...
@overload
def load(asset: str, library: Literal["pinocchio"], **options: Any) -> "pinocchio.RobotWrapper": ...
@overload
def load(asset: str, library: Literal["pybullet"], **options: Any) -> int: ...
@overload
def load(asset: str, library: Literal["trimesh"], **options: Any) -> "trimesh.Scene": ...
@overload
def load(asset: str, library: Literal["usd"], **options: Any) -> "Usd.Stage": ...
def load(
    asset: str,
    library: str,
    *,
    file: str | None = None,
    entry_point: str | None = None,
    as_: str | None = None,
    sim_ready: Mapping[str, str | float] | None = None,
    endpoint: str | bool | None = None,
    token: str | None = None,
    mirror: str | None = None,
    refresh: bool = False,
    progress: bool | None = None,
    server: str | bool | None = None,
    **options: Any,
) -> Any:
    """Open an asset with a library that is installed, fetching the asset to this machine's cache on first use.

    Meshes and textures are found wherever the asset has them, also those named by `package://` and `model://`. No file
    is changed.

    Args:
        asset: As for `path`.
        library: `"mujoco"` (its model; MJCF and URDF), `"mujoco-spec"` (the same, to be edited), `"yourdfpy"` (URDF),
            `"pinocchio"` (a robot wrapper; URDF and MJCF), `"pybullet"` (the body's id in the connected physics server;
            URDF), `"trimesh"` (a scene; meshes) or `"usd"` (a stage).
        file: Selects another file of the asset by its path in the library.
        entry_point: As for `path`.
        as_: As for `path`: `load(arm, "pybullet", as_="urdf")` opens a robot in MJCF.
        sim_ready: As for `path`.
        endpoint: As for `path`.
        token: As for `path`.
        mirror: As for `path`.
        refresh: As for `path`.
        progress: As for `path`.
        server: Another name of `endpoint`.
        options: Everything else is passed to the library: `useFixedBase=True` to PyBullet, `root_joint=…` to Pinocchio.

    Returns:
        What the library makes of the file.

    Raises:
        BinderyError: The library is not installed, does not read this kind of file, or cannot read this one, with what
            it raised as the cause; otherwise as for `path`.
        ValueError: The library is none of these, or as for `path`.
    """
    client = _CLIENTS.get(library)
    if client is None:
        raise ValueError(f"unknown library {library[:200]!r}: expected {_names(list(_CLIENTS))}")
    module = _imported(client)
    supply = SupplyOptions(one_address(endpoint, server), token, mirror, progress)
    placed, path = locate_asset(asset, Wanted(file, entry_point, as_, sim_ready), supply, refresh)
    at = Path(placed.root, path)
    model = _Model(at, _format_of(at), References(Path(placed.root), path, placed.files))
    if model.format not in client.reads:
        raise _wrong_pairing(asset, path, model.format, library)
    missing = missing_references(at, model.references) if model.format in ("MJCF", "URDF") else []
    try:
        opened = client.open(module, model, options)
    except Exception as error:
        raise BinderyError(_incomplete(asset, path, missing) if missing else _unreadable(asset, path, library, error)) from error
    if missing:
        warnings.warn(_incomplete(asset, path, missing), stacklevel=2)
    return opened


def _imported(client: _Client) -> Any:
    try:
        return import_module(client.module)
    except ModuleNotFoundError as error:
        if error.name != client.module.partition(".")[0]:
            raise
        raise BinderyError(f"The package {client.package} is missing: pip install {client.package}") from None


def _wrong_pairing(asset: str, path: str, format: Format | None, library: str) -> BinderyError:
    what = f"{asset} ({path})" + (" has an unknown format" if format is None else f" is {_ARTICLES.get(format, format)}")
    able = [name for name, client in _CLIENTS.items() if format in client.reads]
    # A mesh is no robot, but it can be seen wherever USD can.
    wanted = [_TARGETS[read] for read in _CLIENTS[library].reads if format != "mesh" or read == "USD"]
    hints = [
        f"Load it with {_names(able)}." if able else None,
        f"With as_={wanted[0]!r} the service converts it." if format is not None and wanted else None,
    ]
    hint = " ".join(hint for hint in hints if hint) or "bindery.path() returns the file."
    return BinderyError(f"{what}, which {library} cannot load. {hint}")


def _incomplete(asset: str, path: str, missing: list[str]) -> str:
    some = ", ".join(map(describe, missing[:3])) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return f"{asset} is incomplete: {path} refers to {some}, which the library does not have. Ask its owner to push it with them."


def _unreadable(asset: str, path: str, library: str, error: Exception) -> str:
    said = " ".join(str(error).split())[:300]
    return (
        f"{library} cannot open {asset} ({path}): {type(error).__name__}: {said}. Try another release, another file with "
        "file=, or another format with as_=."
    )


def _names(names: list[str]) -> str:
    return " or ".join(describe(name) for name in names)


_ARTICLES: dict[Format, str] = {"mesh": "a mesh"}
_TARGETS: dict[Format, str] = {"MJCF": "mjcf", "URDF": "urdf", "USD": "usd", "mesh": "glb"}
_BY_ENDING: dict[str, Format] = {
    **dict.fromkeys([".glb", ".gltf", ".obj", ".stl", ".ply", ".off", ".dae", ".3mf"], "mesh"),
    **dict.fromkeys([".usd", ".usda", ".usdc", ".usdz"], "USD"),
    **dict.fromkeys([".sdf", ".world"], "SDF"),
    ".urdf": "URDF",
    ".mjcf": "MJCF",
    ".xacro": "xacro",
}
_BY_ROOT: dict[str, Format] = {"mujoco": "MJCF", "robot": "URDF", "sdf": "SDF"}


def _format_of(file: Path) -> Format | None:
    ending = file.suffix.lower()
    if ending != ".xml":
        return _BY_ENDING.get(ending)
    try:
        _, root = next(ElementTree.iterparse(file, events=["start"]))
    except (ElementTree.ParseError, StopIteration):
        return None
    return _BY_ROOT.get(root.tag)


def _urdf_text(model: _Model) -> str:
    return ElementTree.tostring(resolved_urdf(model.file, model.references), encoding="unicode")


@contextmanager
def _resolved_file(model: _Model) -> Iterator[str]:
    """Yields the path of a file in which every reference is resolved, for libraries that read nothing but files."""
    if model.format != "URDF":
        yield str(model.file)
        return
    with tempfile.TemporaryDirectory(prefix="bindery-") as folder:
        file = Path(folder, model.file.name)
        file.write_text(_urdf_text(model), encoding="utf-8")
        yield str(file)


def _mujoco_urdf(model: _Model) -> str:
    """Returns a URDF for MuJoCo, which by default looks for meshes by their names alone, in one folder."""
    robot = resolved_urdf(model.file, model.references)
    extension = robot.find("mujoco")
    if extension is None:
        extension = ElementTree.SubElement(robot, "mujoco")
    compiler = extension.find("compiler")
    if compiler is None:
        compiler = ElementTree.SubElement(extension, "compiler")
    compiler.set("strippath", "false")
    return ElementTree.tostring(robot, encoding="unicode")


def _mujoco_model(mujoco: Any, model: _Model, options: dict[str, Any]) -> Any:
    if model.format == "URDF":
        return mujoco.MjModel.from_xml_string(_mujoco_urdf(model), **options)
    return mujoco.MjModel.from_xml_path(str(model.file), **options)


def _mujoco_spec(mujoco: Any, model: _Model, options: dict[str, Any]) -> Any:
    if model.format == "URDF":
        return mujoco.MjSpec.from_string(_mujoco_urdf(model), **options)
    return mujoco.MjSpec.from_file(str(model.file), **options)


def _yourdfpy_robot(yourdfpy: Any, model: _Model, options: dict[str, Any]) -> Any:
    handler = lambda fname: model.references.resolve(fname)  # noqa: E731
    return yourdfpy.URDF.load(str(model.file), **{"filename_handler": handler, **options})


def _pinocchio_robot(pinocchio: Any, model: _Model, options: dict[str, Any]) -> Any:
    build = pinocchio.RobotWrapper.BuildFromURDF if model.format == "URDF" else pinocchio.RobotWrapper.BuildFromMJCF
    with _resolved_file(model) as file:
        return build(file, **options)


def _pybullet_body(pybullet: Any, model: _Model, options: dict[str, Any]) -> int:
    with _resolved_file(model) as file:
        return int(pybullet.loadURDF(file, **options))


def _trimesh_scene(trimesh: Any, model: _Model, options: dict[str, Any]) -> Any:
    return trimesh.load_scene(str(model.file), **options)


def _usd_stage(usd: Any, model: _Model, options: dict[str, Any]) -> Any:
    return usd.Stage.Open(str(model.file), **options)


_CLIENTS: dict[str, _Client] = {
    "mujoco": _Client("mujoco", "mujoco", ("MJCF", "URDF"), _mujoco_model),
    "mujoco-spec": _Client("mujoco", "mujoco", ("MJCF", "URDF"), _mujoco_spec),
    "yourdfpy": _Client("yourdfpy", "yourdfpy", ("URDF",), _yourdfpy_robot),
    "pinocchio": _Client("pinocchio", "pin", ("URDF", "MJCF"), _pinocchio_robot),
    "pybullet": _Client("pybullet", "pybullet", ("URDF",), _pybullet_body),
    "trimesh": _Client("trimesh", "trimesh", ("mesh",), _trimesh_scene),
    "usd": _Client("pxr.Usd", "usd-core", ("USD",), _usd_stage),
}
