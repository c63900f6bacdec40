import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { snapshotDownload } from '@huggingface/hub';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import { CLIENTS_PYTHON, missingPythonClients } from '../test/python-clients.ts';
import { createAuthor, cube } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const run = promisify(execFile);
/** Real libraries, if they are next to the repository; without them a small one is published. */
const DATA = fileURLToPath(new URL('../../shared/data', import.meta.url));
const REAL = ['menagerie-dev', 'urdf-dev', 'gltf-dev', 'lowpoly-dev', 'splat-dev', 'raw/gazebo'].map((name) =>
  join(DATA, name),
);
const MADE: Record<string, string> = {
  'README.md': '# Workshop\n',
  'arm/arm.xml':
    '<mujoco model="arm"><worldbody><body><geom type="sphere" size="1"/></body></worldbody></mujoco>',
  'cart/cart.urdf':
    '<robot name="cart"><link name="base"><inertial><mass value="1"/>' +
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
  'cup/model.config': '<model><name>Cup</name><sdf version="1.6">model.sdf</sdf></model>',
  'cup/model.sdf': '<sdf version="1.6"><model name="cup"><link name="link"/></model></sdf>',
  'shapes/größe 1 & 2/cube.obj': cube(),
  'shapes/größe 1 & 2/empty.txt': '',
};

const PROGRAMS = ['curl', 'wget', 'rclone', 'ign', 'g++', 'skopeo', 'umoci'];
const missing = [...PROGRAMS.filter((name) => !existsSync(`/usr/bin/${name}`)), ...missingPythonClients()];

describe.runIf(canRun('Clients of others', missing))('private libraries, read with what people have', () => {
  let home: string;
  let service: RunningService;
  let token: string;
  /** The folders that were published, by library. */
  const published = new Map<string, string>();
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    home = await temporaryFolder();
    service = await serve();
    token = await createAuthor(service);
    const made = join(home, 'workshop');
    for (const [path, text] of Object.entries(MADE)) {
      await mkdir(join(made, path, '..'), { recursive: true });
      await writeFile(join(made, path), text);
    }
    for (const folder of [made, ...(existsSync(DATA) ? REAL : [])]) {
      const library = `ada/${basename(folder)}`;
      const settings = { BINDERY_TOKEN: token, BINDERY_API_URL: service.url, HOME: home };
      expect(await bindery(['library', 'push', folder, library], { env: settings })).toMatchObject({
        exitCode: 0,
      });
      published.set(library, folder);
    }
    env = {
      ...{ PATH: process.env.PATH, HOME: home, HF_ENDPOINT: `${service.url}/hf`, HF_TOKEN: token },
      ...{ HF_HUB_DISABLE_PROGRESS_BARS: '1', HF_HUB_DISABLE_TELEMETRY: '1' },
    };
  });
  afterAll(async () => {
    await service?.dispose();
    await rm(home, { recursive: true, force: true });
  });

  /** Has a client take every library into a folder of its own, and compares all bytes. */
  async function takeAll(client: string, take: (library: string, folder: string) => Promise<unknown>) {
    for (const [library, source] of published) {
      const folder = join(home, client, library);
      await mkdir(folder, { recursive: true });
      const taken = await take(library, folder);
      await expectSameFiles(typeof taken === 'string' ? taken : folder, source);
    }
  }

  const client = (program: string, ...words: string[]) =>
    run(program, words, { cwd: home, env, maxBuffer: 64 * 1024 * 1024 });
  const python = async (script: string) => (await client(CLIENTS_PYTHON, '-c', script)).stdout.trimEnd();

  test('curl gets every file of an index, with the token as password', () =>
    takeAll('curl', async (library, folder) => {
      for (const path of await filesIn(published.get(library) ?? '')) {
        const url = `${service.url}/raw/${library}/${path.split('/').map(encodeURIComponent).join('/')}`;
        await client('curl', '-sSf', '--create-dirs', '-u', `ada:${token}`, '-o', join(folder, path), url);
      }
    }));

  test('wget follows the index once it was asked for a password', () =>
    takeAll('wget', async (library, folder) => {
      const words = [
        '-q',
        '-r',
        '-np',
        '-nH',
        '--cut-dirs=3',
        '-R',
        'index.html*',
        '--restrict-file-names=nocontrol',
        '-P',
        folder,
      ];
      await client('wget', ...words, '--user=ada', `--password=${token}`, `${service.url}/raw/${library}/`);
    }));

  test('rclone copies a library as a remote', () =>
    takeAll('rclone', (library, folder) => {
      const remote = `${service.url.replace('//', `//ada:${token}@`)}/raw/${library}/`;
      return client('rclone', 'copy', '--http-url', remote, ':http:', folder);
    }));

  describe("S3's clients", () => {
    /** The keys of the token, as docs/doors.md has them. */
    const keys = () => {
      const hash = createHash('sha256').update(token).digest('hex');
      return { AWS_ACCESS_KEY_ID: hash.slice(0, 20), AWS_SECRET_ACCESS_KEY: hash.slice(20) };
    };
    const endpoint = () => ({ AWS_ENDPOINT_URL_S3: `${service.url}/s3`, AWS_DEFAULT_REGION: 'us-east-1' });
    const bucketOf = (library: string) => library.replace('/', '.');
    const s3Python = async (script: string) => {
      const options = { cwd: home, env: { ...env, ...keys(), ...endpoint() } };
      return (await run(CLIENTS_PYTHON, ['-c', script], options)).stdout.trimEnd();
    };

    test('rclone copies a bucket', () =>
      takeAll('rclone-s3', async (library, folder) => {
        const remote = `:s3,provider=Other,env_auth=true,endpoint='${service.url}/s3':${bucketOf(library)}`;
        await run('rclone', ['copy', remote, folder], { cwd: home, env: { ...env, ...keys() } });
      }));

    test('boto3 reads every object, verifies it by its checksum, and cannot write', () =>
      takeAll('boto3', (library, folder) =>
        s3Python(`
import boto3, os, pathlib
from botocore.exceptions import ClientError
s3 = boto3.client("s3")
for page in s3.get_paginator("list_objects_v2").paginate(Bucket="${bucketOf(library)}", PaginationConfig={"PageSize": 7}):
    for item in page.get("Contents", []):
        target = pathlib.Path("${folder}", item["Key"])
        target.parent.mkdir(parents=True, exist_ok=True)
        answer = s3.get_object(Bucket="${bucketOf(library)}", Key=item["Key"])
        assert "x-amz-checksum-sha256" in answer["ResponseMetadata"]["HTTPHeaders"]
        target.write_bytes(answer["Body"].read())
try:
    s3.put_object(Bucket="${bucketOf(library)}", Key="new", Body=b"")
except ClientError as error:
    assert error.response["Error"]["Code"] == "AccessDenied", error
else:
    raise AssertionError("it was written")`).then(() => undefined),
      ));

    test('aws copies a bucket', () =>
      takeAll('aws', async (library, folder) => {
        const words = ['s3', 'cp', '--recursive', '--only-show-errors', `s3://${bucketOf(library)}`, folder];
        const options = { cwd: home, env: { ...env, ...keys(), ...endpoint() } };
        await run(join(CLIENTS_PYTHON, '../aws'), words, options);
      }));

    test('DuckDB reads every byte', () =>
      takeAll('duckdb', (library, folder) =>
        s3Python(`
import duckdb, duckdb_extension_httpfs, glob, os, pathlib
[extension] = glob.glob(os.path.join(os.path.dirname(duckdb_extension_httpfs.__file__), "extensions/*/*.duckdb_extension"))
bucket, folder = "s3://${bucketOf(library)}/", pathlib.Path("${folder}")
database = duckdb.connect()
database.execute(f"LOAD '{extension}'")
database.execute("""CREATE SECRET (TYPE s3, KEY_ID '${keys().AWS_ACCESS_KEY_ID}', SECRET '${keys().AWS_SECRET_ACCESS_KEY}',
    ENDPOINT '${new URL(service.url).host}/s3', URL_STYLE 'path', USE_SSL false)""")
for name, content in database.execute(f"SELECT filename, content FROM read_blob('{bucket}**')").fetchall():
    target = folder / name.removeprefix(bucket)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)`).then(() => undefined),
      ));

    test('s3fs and object_store read every byte', () =>
      takeAll('s3fs', (library, folder) =>
        s3Python(`
import os, pathlib, s3fs
from obstore.store import S3Store
bucket, folder = "${bucketOf(library)}", pathlib.Path("${folder}")
files = s3fs.S3FileSystem()
files.get(bucket, str(folder), recursive=True)
store = S3Store(bucket, endpoint=os.environ["AWS_ENDPOINT_URL_S3"], client_options={"allow_http": True})
for batch in store.list():
    for item in batch:
        bytes = bytearray(store.get(item["path"]).bytes())
        assert bytes == (folder / item["path"]).read_bytes(), item
        if len(bytes) > 9:
            assert bytearray(store.get_range(item["path"], start=3, length=5)) == bytes[3:8]`).then(
          () => undefined,
        ),
      ));
  });

  test('skopeo copies images, and umoci unpacks them as container runtimes do', () =>
    takeAll('umoci', async (library, folder) => {
      const image = `docker://${new URL(service.url).host}/${library}:latest`;
      const copy = `${join(home, 'images', library.replace('/', '-'))}:latest`;
      await mkdir(join(home, 'images'), { recursive: true });
      const trusting = ['--insecure-policy', 'copy', '--src-tls-verify=false', '--src-creds', `ada:${token}`];
      await client('skopeo', ...trusting, image, `oci:${copy}`);
      await client('umoci', 'unpack', '--rootless', '--image', copy, join(folder, 'bundle'));
      return join(folder, 'bundle/rootfs');
    }));

  test('oras pulls and unpacks every file of an image, once it has the token', () =>
    takeAll('oras', (library, folder) =>
      python(`
import oras.client
host = "${new URL(service.url).host}"
client = oras.client.OrasClient(hostname=host, insecure=True)
client.login(hostname=host, username="ada", password="${token}", tls_verify=False)
client.pull(target=host + "/${library}:latest", outdir="${folder}")`).then(() => undefined),
    ));

  test('huggingface_hub takes a snapshot, has it offline, and reads it as a file system', () =>
    takeAll('huggingface_hub', (library) =>
      python(`
from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, snapshot_download
online = snapshot_download("${library}", repo_type="dataset")
offline = snapshot_download("${library}", repo_type="dataset", local_files_only=True)
assert online == offline
files = HfApi().list_repo_files("${library}")
assert files == HfApi().list_repo_files("${library}", repo_type="dataset")
one = hf_hub_download("${library}", files[-1])
with HfFileSystem().open("${library}/" + files[-1]) as file:
    assert file.read() == open(one, "rb").read()
print(online)`),
    ));

  test('the hf command downloads into a folder, and only what a pattern names', async () => {
    const hf = join(CLIENTS_PYTHON, '../hf');
    await takeAll('hf', (library, folder) =>
      client(hf, 'download', library, '--repo-type', 'dataset', '--local-dir', folder),
    );
    await client(hf, 'download', 'ada/workshop', '--include', 'cup/*', '--local-dir', join(home, 'cup'));
    expect(await filesIn(join(home, 'cup'))).toEqual(['cup/model.config', 'cup/model.sdf']);
  });

  test('@huggingface/hub takes a snapshot', () =>
    takeAll('hub', (library, folder) =>
      snapshotDownload({
        repo: library,
        hubUrl: `${service.url}/hf`,
        accessToken: `hf_${token}`,
        cacheDir: folder,
      }),
    ));

  test('datasets loads a table and a folder of pictures', async () => {
    const script = `
import os
from PIL import Image
for kind in ("cat", "dog"):
    os.makedirs("pictures/train/" + kind)
    Image.new("RGB", (8, 8)).save("pictures/train/" + kind + "/1.png")
os.makedirs("table")
open("table/train.csv", "w").write("a,b\\n1,x\\n2,y\\n")`;
    await python(script);
    for (const name of ['pictures', 'table']) {
      const settings = { BINDERY_TOKEN: token, BINDERY_API_URL: service.url, HOME: home };
      await bindery(['library', 'push', join(home, name), `ada/${name}`], { env: settings });
    }
    expect(
      await python(`
from datasets import load_dataset
print(load_dataset("ada/pictures")["train"].features["label"].names, load_dataset("ada/table")["train"][:])`),
    ).toBe("['cat', 'dog'] {'a': [1, 2], 'b': ['x', 'y']}");
  });

  test('hf upload publishes a folder, and a commit changes only what it names', async () => {
    const folder = join(home, 'upload');
    const large = Buffer.alloc(65 * 1024 * 1024, 'large ');
    const files = {
      'README.md': '# Hello',
      'arm/notes.txt': 'notes',
      'arm/empty': '',
      'cup/large.bin': large,
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const upload = { ...env, HF_HUB_DISABLE_XET: '1' };
    const hf = join(CLIENTS_PYTHON, '../hf');
    await run(hf, ['upload', 'ada/uploaded', folder, '.', '--repo-type', 'dataset'], {
      cwd: home,
      env: upload,
    });
    await expectSameFiles(await snapshotOf('ada/uploaded'), folder);
    const script = `
from huggingface_hub import HfApi
api = HfApi()
api.upload_file(path_or_fileobj=b"new notes", path_in_repo="arm/notes.txt", repo_id="ada/uploaded")
api.delete_folder("cup", repo_id="ada/uploaded")`;
    await run(CLIENTS_PYTHON, ['-c', script], { cwd: home, env: upload });
    await writeFile(join(folder, 'arm/notes.txt'), 'new notes');
    await rm(join(folder, 'cup'), { recursive: true });
    await expectSameFiles(await snapshotOf('ada/uploaded'), folder);
  });

  function snapshotOf(library: string): Promise<string> {
    return python(
      `from huggingface_hub import snapshot_download\nprint(snapshot_download("${library}", repo_type="dataset"))`,
    );
  }

  test('MuJoCo opens the .mjz of every MJCF asset', async () => {
    const robots = await modelsOf('mjcf');
    expect(robots).not.toHaveLength(0);
    for (const { library, id } of robots) {
      const url = `${service.url}/raw/${library}/${id}.mjz`;
      await client(
        'curl',
        '-sSf',
        '--create-dirs',
        '-u',
        `ada:${token}`,
        '-o',
        join(home, 'mjz', `${id}.mjz`),
        url,
      );
    }
    const opened = await python(`
import glob, mujoco
for path in glob.glob("mjz/*.mjz"):
    if mujoco.MjSpec.from_file(path).compile().nbody > 1:
        print(path)`);
    expect(opened.split('\n')).toHaveLength(robots.length);
  });

  test('ign fuel downloads every model, and a world that includes them by URL loads', async () => {
    const settings = join(home, 'fuel.yaml');
    const cache = join(home, 'fuel');
    await writeFile(
      settings,
      `---\nservers:\n  -\n    url: ${service.url}\n    private-token: ${token}\ncache:\n  path: ${cache}\n`,
    );
    const models = [...(await modelsOf('sdf')), ...(await modelsOf('urdf')), ...(await modelsOf('mjcf'))];
    const url = ({ library, id }: Model) => `${service.url}/1.0/${library.replace('/', '/models/')}~${id}`;
    for (const model of models) await client('ign', 'fuel', 'download', '-u', url(model), '-c', settings);
    const included = models.map(
      (model, at) => `<include><uri>${url(model)}</uri><name>m${at}</name></include>`,
    );
    await writeFile(
      join(home, 'world.sdf'),
      `<sdf version="1.6"><world name="w">${included.join('')}</world></sdf>`,
    );
    const source = fileURLToPath(new URL('fuel/load-world.cc', import.meta.url));
    const { stdout: flags } = await client(
      'pkg-config',
      '--cflags',
      '--libs',
      'ignition-fuel_tools7',
      'sdformat12',
    );
    await client('g++', '-std=c++17', source, '-o', 'load-world', ...flags.trim().split(/\s+/));
    const { stdout } = await client(join(home, 'load-world'), join(home, 'world.sdf'), settings);
    expect(stdout.match(/^model m\d+ [1-9]\d*$/gm)).toHaveLength(models.length);
  });

  interface Model {
    library: string;
    id: string;
  }

  async function modelsOf(kind: string): Promise<Model[]> {
    const url = `${service.url}/search?q=&kind=${kind}&limit=200`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const { hits } = (await answer.json()) as {
      hits: { namespace: string; library: string; assetId: string }[];
    };
    return hits.map(({ namespace, library, assetId }) => ({
      library: `${namespace}/${library}`,
      id: assetId,
    }));
  }
});

/** The files below a folder, without those that clients keep for themselves. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('.cache/'))
    .sort();
}

async function expectSameFiles(taken: string, source: string): Promise<void> {
  const paths = await filesIn(source);
  expect(await filesIn(taken)).toEqual(paths);
  for (const path of paths) {
    const [there, here] = await Promise.all([readFile(join(taken, path)), readFile(join(source, path))]);
    expect([path, there.equals(here)]).toEqual([path, true]);
  }
}
