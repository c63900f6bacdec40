"""Print the size of an asset. Needs nothing but this package.

    BINDERY_API_URL=https://bindery.example.org python3 size_of_an_asset.py acme/robots@v1.2/arm

The asset is fetched into the machine's cache the first time; after that, no request is sent.
"""

import sys

import bindery


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("Say which asset: namespace/name/asset, namespace/name@release/asset, or a name in assets.lock.")
    try:
        entry = bindery.path(sys.argv[1])
    except (bindery.BinderyError, ValueError) as error:
        sys.exit(f"{error}")
    print(f"{entry.name}: {entry.stat().st_size} bytes, in {entry.parent}")


if __name__ == "__main__":
    main()
